"""What the store says to PostgreSQL.

Whatever changes several rows of `tables` holds them in the order of their ids, and before a guest:
so nobody waits for somebody who waits for him.
"""

from sideboards.service.postgres_time import TIME, near

APPEND = f"""
WITH stored AS (
    INSERT INTO events (table_id, position, seat, action, key, at)
    SELECT n.*, {near("$17")}
    FROM unnest($1::text[], $2::int[], $3::int[], $4::text[], $5::text[])
        AS n (table_id, position, seat, action, key)
    WHERE n.position = 0 OR EXISTS (
        SELECT 1 FROM events AS e
        WHERE e.table_id = n.table_id AND e.position = n.position - 1)
    ON CONFLICT DO NOTHING
    RETURNING table_id, position, at
), changes AS (
    SELECT r.*, s.position, s.at
    FROM unnest($6::text[], $7::text[], $8::bool[], $9::text[], $10::bigint[], $11::text[],
        $12::text[]) AS r (table_id, phase, public, code, due_after, made_by, summary)
    JOIN stored AS s USING (table_id)
), made AS (
    INSERT INTO tables (id, phase, public, code, created, due, made_by, summary)
    SELECT table_id, phase, public, code, at, at + due_after, made_by, summary
    FROM changes WHERE position = 0
), held AS (
    SELECT id FROM tables JOIN changes ON id = table_id WHERE position > 0
    ORDER BY id FOR NO KEY UPDATE OF tables
), changed AS (
    UPDATE tables AS t SET phase = c.phase, public = c.public, code = c.code,
        due = c.at + c.due_after, summary = c.summary
    FROM changes AS c JOIN held ON held.id = c.table_id WHERE t.id = c.table_id
), seats AS (
    SELECT m.table_id, m.seat, m.guest
    FROM unnest($13::text[], $14::int[], $15::text[]) AS m (table_id, seat, guest)
    JOIN stored USING (table_id)
    JOIN guests AS g ON g.id = m.guest
    FOR KEY SHARE OF g
), gone AS (
    DELETE FROM members AS m USING changes AS c
    WHERE m.table_id = c.table_id
    AND (m.table_id, m.seat, m.guest) NOT IN (SELECT table_id, seat, guest FROM seats)
), come AS (
    INSERT INTO members (table_id, seat, guest) SELECT table_id, seat, guest FROM seats
    ON CONFLICT DO NOTHING
)
SELECT table_id, at, pg_notify('sideboards', $16::text || table_id) FROM stored"""  # noqa: S608 (ours)
READ = """
    SELECT asked.place, position, seat, action, key, at
    FROM unnest($1::text[], $2::int[]) WITH ORDINALITY AS asked (id, behind, place)
    JOIN events ON table_id = asked.id AND position > asked.behind
    ORDER BY asked.place, position"""
DUE = "SELECT id, due FROM tables WHERE id = ANY($1::text[])"
NAMES = "SELECT id, name FROM guests WHERE id = ANY($1::text[])"
ALL_DUE = """
    SELECT id FROM tables WHERE due IS NOT NULL AND phase IN ('waiting', 'playing') AND due <= $1
    ORDER BY due LIMIT $2"""
FORGOTTEN = """
    SELECT id FROM listed WHERE due IS NULL AND phase IN ('waiting', 'playing')
    AND created < $1 AND updated < $1 ORDER BY created LIMIT $2"""
LOBBY = """
    SELECT id, phase, created, updated, due, made_by, summary, guests FROM listed
    WHERE public AND phase IN ('waiting', 'playing') ORDER BY created DESC, id LIMIT $1"""
TABLES_OF = """
    SELECT id, phase, created, updated, due, made_by, summary, guests FROM listed
    WHERE id IN (SELECT table_id FROM members WHERE guest = $1)
    ORDER BY phase IN ('waiting', 'playing') DESC, updated DESC, id LIMIT $2"""
OPEN_TABLES_OF = f"""
    SELECT id, phase, created, updated, due, made_by, summary, guests FROM listed
    WHERE made_by = $1 AND phase IN ('waiting', 'playing') AND (
        updated > (SELECT {TIME}) - $2 OR guests::text = '[]'
        OR EXISTS (SELECT 1 FROM members WHERE table_id = id AND guest = $1))
    ORDER BY updated, id"""  # noqa: S608 (ours)
WITH_CODE = "SELECT id FROM tables WHERE code = $1 AND code <> '' AND phase = 'waiting'"
DROP_CODES = """
    UPDATE tables SET code = '' WHERE id IN (
        SELECT id FROM tables WHERE code <> '' AND created < $1 ORDER BY id FOR UPDATE)"""
DRAWN = """
    WITH fresh AS (
        INSERT INTO settings (name, value) VALUES ('secret', $1) ON CONFLICT DO NOTHING)
    SELECT value FROM settings WHERE name = 'secret'"""
ADD_GUEST = """
    WITH added AS (INSERT INTO guests (id, name, language) VALUES ($1, $2, $3) RETURNING id)
    INSERT INTO devices (hash, guest) SELECT $4, id FROM added"""
DELETE_GUEST = """
    WITH deleted AS (DELETE FROM guests WHERE id = $1)
    UPDATE tables SET made_by = '' WHERE id IN (
        SELECT id FROM tables WHERE made_by = $1 ORDER BY id FOR NO KEY UPDATE)"""
OF_DEVICE = """
    SELECT id, name, language FROM guests WHERE id = (SELECT guest FROM devices WHERE hash = $1)"""
OF_FEED = "SELECT id, name, language FROM guests WHERE feed = $1"
ADD_DEVICE = "INSERT INTO devices (hash, guest) SELECT $1, id FROM guests WHERE id = $2"
ADD_TRANSFER = f"""
    WITH expired AS (DELETE FROM transfers WHERE until <= {TIME} AND guest <> $2)
    INSERT INTO transfers (hash, guest, until) SELECT $1, id, $3 FROM guests WHERE id = $2
    ON CONFLICT (guest) DO UPDATE SET hash = excluded.hash, until = excluded.until"""  # noqa: S608 (ours)
TAKE_TRANSFER = f"""
    WITH taken AS (DELETE FROM transfers WHERE hash = $1 RETURNING guest, until)
    SELECT id, name, language FROM guests JOIN taken ON guest = id WHERE until > {TIME}"""  # noqa: S608 (ours)
BEAT = f"""
    INSERT INTO servers (id, beat, running) VALUES ($1, {near("$3")}, $2 = 'running')
    ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, running = excluded.running"""  # noqa: S608 (ours)
MOVE_DEADLINES = """
    UPDATE tables SET due = due + $1 WHERE id IN (
        SELECT id FROM tables WHERE due IS NOT NULL AND phase IN ('waiting', 'playing')
        ORDER BY id FOR NO KEY UPDATE)"""
