CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE servers (
    id TEXT PRIMARY KEY,
    beat INTEGER NOT NULL,
    running INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE events (
    table_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    seat INTEGER NOT NULL,
    action TEXT NOT NULL,
    key TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (table_id, position)
) WITHOUT ROWID;

CREATE TABLE tables (
    id TEXT PRIMARY KEY,
    phase TEXT NOT NULL,
    public INTEGER NOT NULL,
    code TEXT NOT NULL,
    created INTEGER NOT NULL,
    due INTEGER,
    made_by TEXT NOT NULL,
    summary TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX tables_due ON tables (due)
    WHERE due IS NOT NULL AND phase IN ('waiting', 'playing');
CREATE INDEX tables_without_clock ON tables (created)
    WHERE due IS NULL AND phase IN ('waiting', 'playing');
CREATE INDEX tables_lobby ON tables (created)
    WHERE public AND phase IN ('waiting', 'playing');
CREATE UNIQUE INDEX tables_code ON tables (code) WHERE code <> '';
CREATE INDEX tables_made_by ON tables (made_by, phase);

CREATE TABLE guests (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    language TEXT NOT NULL,
    feed BLOB UNIQUE
) WITHOUT ROWID;

CREATE TABLE members (
    table_id TEXT NOT NULL,
    seat INTEGER NOT NULL,
    guest TEXT NOT NULL REFERENCES guests (id) ON DELETE CASCADE,
    PRIMARY KEY (table_id, seat, guest)
) WITHOUT ROWID;

CREATE INDEX members_guest ON members (guest, table_id);

CREATE TABLE devices (
    hash BLOB PRIMARY KEY,
    guest TEXT NOT NULL REFERENCES guests (id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE INDEX devices_guest ON devices (guest);

CREATE TABLE transfers (
    guest TEXT PRIMARY KEY REFERENCES guests (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    until INTEGER NOT NULL
) WITHOUT ROWID;

CREATE VIEW listed AS
    SELECT t.*,
        (SELECT at FROM events WHERE table_id = t.id ORDER BY position DESC LIMIT 1) AS updated,
        (SELECT json_group_array(json_array(guest, seat)) FROM members WHERE table_id = t.id) AS guests
    FROM tables AS t;
