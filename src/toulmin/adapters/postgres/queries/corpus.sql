-- Transactions, corpus, packets and their health, each statement by its name; every other subject has a file beside this one.
-- Lists of values are bound as one JSON array.
-- Whatever a principal reads is joined with the reader sets that hold one of its tokens; candidates come with their readers instead.

-- name: begin_read
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY

-- name: begin_write
-- Every statement sees what is committed by then; the lock that comes next makes that what this writer alone has changed since.
BEGIN ISOLATION LEVEL READ COMMITTED

-- name: take_role
-- Until the transaction ends. What the claims say of a principal is checked by the policies of the tables.
SELECT set_config('role', %(role)s, true), set_config('toulmin.principal', %(claims)s, true)

-- name: keep_role
-- Until the connection ends.
SELECT set_config('role', %(role)s, false)

-- name: lock_writers
SELECT pg_advisory_xact_lock(%(lock)s)

-- name: commit
COMMIT

-- name: roll_back
ROLLBACK

-- name: begin_step
SAVEPOINT step

-- name: drop_step
ROLLBACK TO SAVEPOINT step

-- name: end_step
RELEASE SAVEPOINT step

-- name: sequence
-- Of all changes: what stands may be hidden from a principal.
SELECT coalesce(max(sequence), 0) AS sequence FROM change

-- name: notify
-- With the commit, and not before.
NOTIFY toulmin_change

-- name: listen
LISTEN toulmin_change

-- name: scopes
SELECT key, canonical FROM scope WHERE key > %(after)s ORDER BY key

-- name: candidates
-- `now` decides whether the revision may be read at all: `now_readers` is for the caller to compare with the tokens, which costs the same
-- for however many. `past` is what stood at the sequence number; mostly that is the same row.
-- The keys are taken apart beforehand: under row-level security no index is asked with what a function makes of them.
WITH wanted AS MATERIALIZED (
    SELECT (key.value ->> 0)::bigint AS revision, (key.value ->> 1)::integer AS ordinal
    FROM jsonb_array_elements(%(keys)s::jsonb) AS key)
SELECT p.ordinal, p.span_start, p.span_end, p.heading, readers.canonical AS now_readers,
       r.key, r.document, r.version, r.text_sha256, r.bytes_sha256, r.ingested_at,
       past.seq_from, past.descriptor, past.scope, past.valid_from, past.valid_to, past.superseded, past.status
FROM wanted
JOIN standing AS now ON now.revision = wanted.revision AND now.seq_to IS NULL
JOIN passage AS p ON p.revision = now.revision AND p.ordinal = wanted.ordinal
JOIN revision AS r ON r.key = now.revision
JOIN reader_set AS readers ON readers.key = now.reader_set
JOIN standing AS past ON past.revision = now.revision
    AND past.seq_from <= %(sequence)s AND (past.seq_to IS NULL OR %(sequence)s < past.seq_to)
WHERE now.status = 'live' AND r.content_since <= %(sequence)s

-- name: eligible
SELECT count(DISTINCT r.document) AS eligible
FROM standing AS s JOIN revision AS r ON r.key = s.revision
WHERE s.seq_to IS NULL
  AND s.status = 'live'
  AND s.scope IN (SELECT jsonb_array_elements_text(%(scopes)s::jsonb)::bigint)
  AND s.valid_from <= %(at)s AND %(at)s < s.valid_to
  AND s.reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(readers)s::jsonb)))
  AND s.reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb)))

-- name: next_turn
-- The next instant at which some revision comes into force or goes out of it.
SELECT min(turn) AS next_turn
FROM (SELECT min(valid_from) AS turn FROM standing WHERE seq_to IS NULL AND valid_from > %(at)s
      UNION ALL
      SELECT min(valid_to) FROM standing WHERE seq_to IS NULL AND valid_to > %(at)s AND valid_to < %(forever)s) AS turns

-- name: standings
SELECT *
FROM full_standing
WHERE seq_to IS NULL
  AND reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb)))
ORDER BY document, version

-- name: standings_of_document
SELECT *
FROM full_standing
WHERE seq_to IS NULL
  AND document = %(document)s
  AND reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb)))
ORDER BY version

-- name: standings_page
WITH readable AS NOT MATERIALIZED (
    SELECT *
    FROM full_standing
    WHERE seq_to IS NULL
      AND document > %(after)s
      AND reader_set IN (
          SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb))))
SELECT *
FROM readable
WHERE document IN (SELECT DISTINCT document FROM readable ORDER BY document LIMIT %(limit)s)
ORDER BY document, version

-- name: readable_revision
SELECT r.document, r.version, r.bytes_sha256, r.encoding, r.media_type, r.parser, t.text, t.pages
FROM revision AS r
JOIN revision_text AS t ON t.revision = r.key
JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
WHERE r.key = %(key)s
  AND now.reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb)))

-- name: readable_original
SELECT o.bytes
FROM original AS o
JOIN standing AS now ON now.revision = o.revision AND now.seq_to IS NULL
WHERE o.revision = %(key)s
  AND now.reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb)))

-- name: texts
SELECT revision, text, pages
FROM revision_text
WHERE revision IN (SELECT jsonb_array_elements_text(%(revisions)s::jsonb)::bigint)

-- name: passages
SELECT revision, span_start, span_end, heading
FROM passage
WHERE revision IN (SELECT jsonb_array_elements_text(%(revisions)s::jsonb)::bigint)
ORDER BY revision, ordinal

-- name: add_packet
SELECT key FROM add_packet(%(id)s, %(body)s, %(requester)s, %(evidence)s, %(corpus)s, %(made_at)s) AS key

-- name: add_packet_text
SELECT add_packet_text(%(packet)s, %(sha256)s, %(text)s)

-- name: add_packet_source
SELECT add_packet_source(%(packet)s, %(document)s, %(version)s)

-- name: packet
SELECT key, id, body, requester, evidence, corpus, made_at FROM packet WHERE id = %(id)s

-- name: packet_texts
SELECT sha256, text FROM packet_text WHERE packet = %(packet)s

-- name: packet_sources
-- `readable` as of now; a source that the store does not know is readable by nobody.
SELECT source.document, source.version, coalesce(now.reader_set IN (
    SELECT reader_set
    FROM reader_token
    WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb))), false) AS readable
FROM packet_source AS source
LEFT JOIN revision AS r ON r.document = source.document AND r.version = source.version
LEFT JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
WHERE source.packet = %(packet)s
ORDER BY source.document, source.version

-- name: history
SELECT * FROM full_standing WHERE seq_to IS NULL AND document = %(document)s ORDER BY key

-- name: current
SELECT * FROM full_standing WHERE seq_to IS NULL AND key = %(key)s

-- name: add_revision
INSERT INTO revision
    (key, document, version, text_sha256, bytes_sha256, encoding, media_type, parser, ingested_at, bucket)
VALUES
    ((SELECT coalesce(max(key), 0) + 1 FROM revision),
     %(document)s, %(version)s, %(text_sha256)s, %(bytes_sha256)s, %(encoding)s, %(media_type)s, %(parser)s, %(ingested_at)s,
     %(bucket)s)
ON CONFLICT (document, version) DO NOTHING
RETURNING key

-- name: renew_revision
UPDATE revision
SET text_sha256 = %(text_sha256)s, encoding = %(encoding)s, media_type = %(media_type)s, parser = %(parser)s,
    content_since = %(sequence)s
WHERE key = %(key)s

-- name: input
SELECT s.*
FROM input JOIN full_standing AS s ON s.key = input.revision
WHERE input.digest = %(digest)s AND s.seq_to IS NULL AND s.status = 'live'
ORDER BY s.key DESC
LIMIT 1

-- name: put_input
INSERT INTO input (revision, digest) VALUES (%(revision)s, %(digest)s)
ON CONFLICT (revision) DO UPDATE SET digest = excluded.digest

-- name: add_text
INSERT INTO revision_text (revision, text, pages) VALUES (%(revision)s, %(text)s, %(pages)s)

-- name: add_passage
INSERT INTO passage (revision, ordinal, span_start, span_end, heading)
VALUES (%(revision)s, %(ordinal)s, %(span_start)s, %(span_end)s, %(heading)s)

-- name: has_original
SELECT 1 AS kept FROM original WHERE revision = %(revision)s

-- name: add_original
INSERT INTO original (revision, bytes) VALUES (%(revision)s, %(bytes)s) ON CONFLICT DO NOTHING

-- name: delete_original
DELETE FROM original WHERE revision = %(revision)s

-- name: delete_text
DELETE FROM revision_text WHERE revision = %(revision)s

-- name: delete_passages
DELETE FROM passage WHERE revision = %(revision)s

-- name: add_scope
INSERT INTO scope (key, canonical) VALUES ((SELECT coalesce(max(key), 0) + 1 FROM scope), %(canonical)s)
ON CONFLICT (canonical) DO NOTHING

-- name: scope_key
SELECT key FROM scope WHERE canonical = %(canonical)s

-- name: add_reader_set
INSERT INTO reader_set (key, canonical) VALUES ((SELECT coalesce(max(key), 0) + 1 FROM reader_set), %(canonical)s)
ON CONFLICT (canonical) DO NOTHING
RETURNING key

-- name: reader_set_key
SELECT key FROM reader_set WHERE canonical = %(canonical)s

-- name: add_reader_token
INSERT INTO reader_token (token, reader_set) VALUES (%(token)s, %(reader_set)s)

-- name: drop_unseen_standing
DELETE FROM standing WHERE revision = %(revision)s AND seq_from = %(sequence)s

-- name: close_standing
UPDATE standing SET seq_to = %(sequence)s WHERE revision = %(revision)s AND seq_to IS NULL

-- name: add_standing
INSERT INTO standing
    (revision, seq_from, descriptor, scope, reader_set, valid_from, valid_to, superseded, status)
VALUES
    (%(revision)s, %(sequence)s, %(descriptor)s, %(scope)s, %(reader_set)s, %(valid_from)s, %(valid_to)s, %(superseded)s,
     %(status)s)

-- name: changed_sequences
-- One row a change; what it weighs is its passages, and at least one, so that so many rows are enough.
SELECT s.seq_from, greatest(1, (SELECT count(*) FROM passage AS p WHERE p.revision = s.revision)) AS weight
FROM standing AS s
WHERE s.seq_from > %(after)s
ORDER BY s.seq_from, s.revision
LIMIT %(limit)s

-- name: changed_revisions
SELECT *
FROM full_standing
WHERE seq_to IS NULL
  AND key IN (SELECT revision FROM standing WHERE seq_from > %(after)s AND seq_from <= %(reached)s)
ORDER BY key

-- name: bucket
SELECT * FROM full_standing WHERE seq_to IS NULL AND bucket = %(bucket)s

-- name: node
SELECT digest FROM fingerprint_node WHERE level = %(level)s AND place = %(place)s

-- name: nodes
SELECT node.level, node.place, node.digest
FROM jsonb_array_elements(%(wanted)s::jsonb) AS wanted
JOIN fingerprint_node AS node
    ON node.level = (wanted.value ->> 0)::integer AND node.place = (wanted.value ->> 1)::integer

-- name: put_node
INSERT INTO fingerprint_node (level, place, digest) VALUES (%(level)s, %(place)s, %(digest)s)
ON CONFLICT (level, place) DO UPDATE SET digest = excluded.digest

-- name: add_change
INSERT INTO change (sequence, mark) VALUES (%(sequence)s, %(mark)s) ON CONFLICT (sequence) DO NOTHING

-- name: mark
SELECT mark FROM change WHERE sequence = %(sequence)s

-- name: passages_after
SELECT count(*) AS passages
FROM standing AS s JOIN passage AS p ON p.revision = s.revision
WHERE s.seq_to IS NULL AND s.status = 'live' AND s.seq_from > %(after)s

-- name: census
SELECT status, count(*) AS revisions FROM standing WHERE seq_to IS NULL GROUP BY status ORDER BY status

-- name: unreadable
SELECT count(*) AS revisions
FROM standing AS s
WHERE s.seq_to IS NULL
  AND s.status = 'live'
  AND NOT EXISTS (SELECT 1 FROM reader_token AS t WHERE t.reader_set = s.reader_set)

-- name: live_scopes
SELECT count(DISTINCT scope) AS scopes FROM standing WHERE seq_to IS NULL AND status = 'live'

-- name: draft_sums
SELECT count(*) FILTER (WHERE calls > 0) AS drafts,
    coalesce(sum(calls), 0)::bigint AS calls,
    coalesce(sum(seconds) FILTER (WHERE calls > 0), 0) AS seconds,
    coalesce(max(seconds) FILTER (WHERE calls > 0), 0) AS slowest_s,
    coalesce(sum(prompt_tokens), 0)::bigint AS prompt_tokens,
    coalesce(sum(completion_tokens), 0)::bigint AS completion_tokens,
    count(*) FILTER (WHERE kept) AS kept,
    count(*) FILTER (WHERE shared) AS shared
FROM (
    SELECT (step.value ->> 'calls')::bigint AS calls,
        (step.value ->> 'seconds')::double precision AS seconds,
        (step.value ->> 'prompt_tokens')::bigint AS prompt_tokens,
        (step.value ->> 'completion_tokens')::bigint AS completion_tokens,
        (step.value ->> 'kept')::boolean AS kept,
        (step.value ->> 'shared')::boolean AS shared
    FROM packet, json_array_elements(packet.body::json -> 'trace') AS step
    WHERE step.value ->> 'step' = 'draft') AS drafts

-- name: judge_sums
SELECT coalesce(sum((step.value ->> 'asked')::bigint), 0)::bigint AS asked,
    coalesce(sum((step.value ->> 'calls')::bigint), 0)::bigint AS calls,
    coalesce(sum((step.value ->> 'seconds')::double precision), 0) AS seconds,
    coalesce(sum((step.value ->> 'prompt_tokens')::bigint), 0)::bigint AS prompt_tokens,
    coalesce(sum((step.value ->> 'completion_tokens')::bigint), 0)::bigint AS completion_tokens
FROM packet, json_array_elements(packet.body::json -> 'trace') AS step
WHERE step.value ->> 'step' IN ('ask_judge', 'route')

-- name: sample
SELECT p.revision, p.ordinal
FROM standing AS s JOIN passage AS p ON p.revision = s.revision
WHERE s.seq_to IS NULL AND s.status = 'live'
ORDER BY random()
LIMIT %(size)s

-- name: held
SELECT p.revision, p.ordinal
FROM jsonb_array_elements(%(keys)s::jsonb) AS wanted
JOIN standing AS s ON s.revision = (wanted.value ->> 0)::bigint AND s.seq_to IS NULL AND s.status = 'live'
JOIN passage AS p ON p.revision = s.revision AND p.ordinal = (wanted.value ->> 1)::integer

-- name: every_standing
SELECT * FROM full_standing WHERE seq_to IS NULL

-- name: size
SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes
FROM pg_class AS c
WHERE c.relnamespace = 'toulmin'::regnamespace AND c.relkind = 'r'

-- name: older_views
-- Transactions of others that may still see what was removed: while they last, VACUUM leaves it where it is. Those of roles that this one
-- cannot look into count as such. And whether this role may rewrite tables at all: VACUUM only warns where it may not.
SELECT count(*) AS others, (
    SELECT bool_and(pg_has_role(c.relowner, 'USAGE'))
    FROM pg_class AS c
    WHERE c.relnamespace = 'toulmin'::regnamespace AND c.relkind = 'r') AS owner
FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
  AND (backend_xmin IS NOT NULL OR NOT (pg_has_role('pg_read_all_stats', 'USAGE') OR pg_has_role(usesysid, 'USAGE')))

-- name: rewrite
VACUUM (FULL) revision_text, original, passage, packet_text, approval_output, standing
