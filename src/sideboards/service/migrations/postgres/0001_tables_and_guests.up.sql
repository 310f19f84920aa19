CREATE FUNCTION milliseconds() RETURNS bigint LANGUAGE sql VOLATILE AS
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint';

CREATE TABLE settings (
    name text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);

CREATE TABLE servers (
    id text COLLATE "C" PRIMARY KEY,
    beat bigint NOT NULL,
    running boolean NOT NULL
);

CREATE TABLE events (
    table_id text COLLATE "C" NOT NULL,
    position integer NOT NULL,
    seat integer NOT NULL,
    action text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (table_id, position)
);

CREATE TABLE tables (
    id text COLLATE "C" PRIMARY KEY,
    phase text COLLATE "C" NOT NULL,
    public boolean NOT NULL,
    code text COLLATE "C" NOT NULL,
    created bigint NOT NULL,
    due bigint,
    made_by text COLLATE "C" NOT NULL,
    summary text COLLATE "C" NOT NULL
);

CREATE INDEX tables_due ON tables (due)
    WHERE due IS NOT NULL AND phase IN ('waiting', 'playing');
CREATE INDEX tables_without_clock ON tables (created)
    WHERE due IS NULL AND phase IN ('waiting', 'playing');
CREATE INDEX tables_lobby ON tables (created)
    WHERE public AND phase IN ('waiting', 'playing');
CREATE UNIQUE INDEX tables_code ON tables (code) WHERE code <> '';
CREATE INDEX tables_made_by ON tables (made_by, phase);

CREATE TABLE guests (
    id text COLLATE "C" PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    language text COLLATE "C" NOT NULL,
    feed bytea UNIQUE
);

CREATE TABLE members (
    table_id text COLLATE "C" NOT NULL,
    seat integer NOT NULL,
    guest text COLLATE "C" NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
    PRIMARY KEY (table_id, seat, guest)
);

CREATE INDEX members_guest ON members (guest, table_id);

CREATE TABLE devices (
    hash bytea PRIMARY KEY,
    guest text COLLATE "C" NOT NULL REFERENCES guests (id) ON DELETE CASCADE
);

CREATE INDEX devices_guest ON devices (guest);

CREATE TABLE transfers (
    guest text COLLATE "C" PRIMARY KEY REFERENCES guests (id) ON DELETE CASCADE,
    hash bytea NOT NULL UNIQUE,
    until bigint NOT NULL
);

CREATE VIEW listed AS
    SELECT t.*,
        (SELECT at FROM events WHERE table_id = t.id ORDER BY position DESC LIMIT 1) AS updated,
        (SELECT coalesce(json_agg(json_build_array(guest, seat)), '[]') FROM members WHERE table_id = t.id) AS guests
    FROM tables AS t;
