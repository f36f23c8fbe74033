-- Transactions, corpus, packets and their health, each statement by its name; every other subject has a file beside this one.
-- Lists of values are bound as one JSON array.
-- Whatever a principal reads is joined with the reader sets that hold one of its :tokens; candidates come with their readers instead.

-- name: begin_read
BEGIN

-- name: begin_write
BEGIN IMMEDIATE

-- name: commit
COMMIT

-- name: begin_step
SAVEPOINT step

-- name: drop_step
ROLLBACK TO step

-- name: end_step
RELEASE step

-- name: sequence
SELECT coalesce(max(seq_from), 0) AS sequence FROM standing

-- name: scopes
SELECT key, canonical FROM scope WHERE key > :after ORDER BY key

-- name: candidates
-- `now` decides whether the revision may be read at all: `now_readers` is for the caller to compare with the tokens, which costs the same
-- for however many. `past` is what stood at :sequence; mostly that is the same row.
SELECT p.ordinal, p.span_start, p.span_end, p.heading, readers.canonical AS now_readers,
       r.key, r.document, r.version, r.text_sha256, r.bytes_sha256, r.ingested_at,
       past.seq_from, past.descriptor, past.scope, past.valid_from, past.valid_to, past.superseded, past.status
FROM json_each(:keys) AS wanted
CROSS JOIN standing AS now ON now.revision = wanted.value ->> 0 AND now.seq_to IS NULL
CROSS JOIN passage AS p ON p.revision = now.revision AND p.ordinal = wanted.value ->> 1
CROSS JOIN revision AS r ON r.key = now.revision
CROSS JOIN reader_set AS readers ON readers.key = now.reader_set
CROSS JOIN standing AS past ON past.rowid = iif(now.seq_from <= :sequence, now.rowid, (
    SELECT rowid FROM standing WHERE revision = now.revision AND seq_from <= :sequence AND :sequence < seq_to))
WHERE now.status = 'live' AND r.content_since <= :sequence

-- name: eligible
SELECT count(DISTINCT r.document) AS eligible
FROM standing JOIN revision AS r ON r.key = standing.revision
WHERE seq_to IS NULL
  AND status = 'live'
  AND scope IN (SELECT value FROM json_each(:scopes))
  AND valid_from <= :at AND :at < valid_to
  AND reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:readers)))
  AND reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens)))

-- name: next_turn
-- The next instant at which some revision comes into force or goes out of it.
SELECT min(turn) AS next_turn
FROM (SELECT min(valid_from) AS turn FROM standing WHERE seq_to IS NULL AND valid_from > :at
      UNION ALL
      SELECT min(valid_to) FROM standing WHERE seq_to IS NULL AND valid_to > :at AND valid_to < :forever)

-- name: standings
SELECT *
FROM full_standing
WHERE seq_to IS NULL
  AND reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens)))
ORDER BY document, version

-- name: standings_of_document
SELECT *
FROM full_standing
WHERE seq_to IS NULL
  AND document = :document
  AND reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens)))
ORDER BY version

-- name: standings_page
WITH readable AS NOT MATERIALIZED (
    SELECT *
    FROM full_standing
    WHERE seq_to IS NULL
      AND document > :after
      AND reader_set IN (
          SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens))))
SELECT *
FROM readable
WHERE document IN (SELECT DISTINCT document FROM readable ORDER BY document LIMIT :limit)
ORDER BY document, version

-- name: readable_revision
SELECT r.document, r.version, r.bytes_sha256, r.encoding, r.media_type, r.parser, t.text, t.pages
FROM revision AS r
JOIN revision_text AS t ON t.revision = r.key
JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
WHERE r.key = :key
  AND now.reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens)))

-- name: readable_original
SELECT o.bytes
FROM original AS o
JOIN standing AS now ON now.revision = o.revision AND now.seq_to IS NULL
WHERE o.revision = :key
  AND now.reader_set IN (
      SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens)))

-- name: texts
SELECT revision, text, pages FROM revision_text WHERE revision IN (SELECT value FROM json_each(:revisions))

-- name: passages
SELECT revision, span_start, span_end, heading
FROM passage
WHERE revision IN (SELECT value FROM json_each(:revisions))
ORDER BY revision, ordinal

-- name: add_packet
INSERT INTO packet (id, body, requester, evidence, corpus, made_at)
VALUES (:id, :body, :requester, :evidence, :corpus, :made_at)
ON CONFLICT (id) DO NOTHING
RETURNING key

-- name: add_packet_text
INSERT INTO packet_text (packet, sha256, text) VALUES (:packet, :sha256, :text)

-- name: add_packet_source
INSERT INTO packet_source (packet, document, version) VALUES (:packet, :document, :version)

-- name: packet
SELECT key, id, body, requester, evidence, corpus, made_at FROM packet WHERE id = :id

-- name: packet_texts
SELECT sha256, text FROM packet_text WHERE packet = :packet

-- name: packet_sources
-- `readable` as of now; a source that the store does not know is readable by nobody.
SELECT source.document, source.version, coalesce(now.reader_set IN (
    SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens))), 0) AS readable
FROM packet_source AS source
LEFT JOIN revision AS r ON r.document = source.document AND r.version = source.version
LEFT JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
WHERE source.packet = :packet
ORDER BY source.document, source.version

-- name: history
SELECT * FROM full_standing WHERE seq_to IS NULL AND document = :document ORDER BY key

-- name: current
SELECT * FROM full_standing WHERE seq_to IS NULL AND key = :key

-- name: add_revision
INSERT INTO revision
    (document, version, text_sha256, bytes_sha256, encoding, media_type, parser, ingested_at, bucket)
VALUES
    (:document, :version, :text_sha256, :bytes_sha256, :encoding, :media_type, :parser, :ingested_at, :bucket)
ON CONFLICT (document, version) DO NOTHING
RETURNING key

-- name: renew_revision
UPDATE revision
SET text_sha256 = :text_sha256, encoding = :encoding, media_type = :media_type, parser = :parser, content_since = :sequence
WHERE key = :key

-- name: input
SELECT s.*
FROM input JOIN full_standing AS s ON s.key = input.revision
WHERE input.digest = :digest AND s.seq_to IS NULL AND s.status = 'live'
ORDER BY s.key DESC
LIMIT 1

-- name: put_input
INSERT INTO input (revision, digest) VALUES (:revision, :digest)
ON CONFLICT (revision) DO UPDATE SET digest = excluded.digest

-- name: add_text
INSERT INTO revision_text (revision, text, pages) VALUES (:revision, :text, :pages)

-- name: add_passage
INSERT INTO passage (revision, ordinal, span_start, span_end, heading)
VALUES (:revision, :ordinal, :span_start, :span_end, :heading)

-- name: has_original
SELECT 1 AS kept FROM original WHERE revision = :revision

-- name: add_original
INSERT INTO original (revision, bytes) VALUES (:revision, :bytes) ON CONFLICT DO NOTHING

-- name: delete_original
DELETE FROM original WHERE revision = :revision

-- name: delete_text
DELETE FROM revision_text WHERE revision = :revision

-- name: delete_passages
DELETE FROM passage WHERE revision = :revision

-- name: add_scope
INSERT INTO scope (canonical) VALUES (:canonical) ON CONFLICT (canonical) DO NOTHING

-- name: scope_key
SELECT key FROM scope WHERE canonical = :canonical

-- name: add_reader_set
INSERT INTO reader_set (canonical) VALUES (:canonical) ON CONFLICT (canonical) DO NOTHING RETURNING key

-- name: reader_set_key
SELECT key FROM reader_set WHERE canonical = :canonical

-- name: add_reader_token
INSERT INTO reader_token (token, reader_set) VALUES (:token, :reader_set)

-- name: drop_unseen_standing
DELETE FROM standing WHERE revision = :revision AND seq_from = :sequence

-- name: close_standing
UPDATE standing SET seq_to = :sequence WHERE revision = :revision AND seq_to IS NULL

-- name: add_standing
INSERT INTO standing
    (revision, seq_from, descriptor, scope, reader_set, valid_from, valid_to, superseded, status)
VALUES
    (:revision, :sequence, :descriptor, :scope, :reader_set, :valid_from, :valid_to, :superseded, :status)

-- name: changed_sequences
-- One row a change; what it weighs is its passages, and at least one, so that :limit rows are enough.
SELECT s.seq_from, max(1, (SELECT count(*) FROM passage AS p WHERE p.revision = s.revision)) AS weight
FROM standing AS s
WHERE s.seq_from > :after
ORDER BY s.seq_from, s.revision
LIMIT :limit

-- name: changed_revisions
SELECT *
FROM full_standing
WHERE seq_to IS NULL
  AND key IN (SELECT revision FROM standing WHERE seq_from > :after AND seq_from <= :reached)
ORDER BY key

-- name: bucket
SELECT * FROM full_standing WHERE seq_to IS NULL AND bucket = :bucket

-- name: node
SELECT digest FROM fingerprint_node WHERE level = :level AND place = :place

-- name: nodes
SELECT node.level, node.place, node.digest
FROM json_each(:wanted) AS wanted
CROSS JOIN fingerprint_node AS node ON node.level = wanted.value ->> 0 AND node.place = wanted.value ->> 1

-- name: put_node
INSERT INTO fingerprint_node (level, place, digest) VALUES (:level, :place, :digest)
ON CONFLICT (level, place) DO UPDATE SET digest = excluded.digest

-- name: add_change
INSERT INTO change (sequence, mark) VALUES (:sequence, :mark) ON CONFLICT (sequence) DO NOTHING

-- name: mark
SELECT mark FROM change WHERE sequence = :sequence

-- name: passages_after
SELECT count(*) AS passages
FROM standing AS s JOIN passage AS p ON p.revision = s.revision
WHERE s.seq_to IS NULL AND s.status = 'live' AND s.seq_from > :after

-- name: census
SELECT status, count(*) AS revisions FROM standing WHERE seq_to IS NULL GROUP BY status ORDER BY status

-- name: unreadable
SELECT count(*) AS revisions
FROM standing
WHERE seq_to IS NULL AND status = 'live' AND reader_set NOT IN (SELECT reader_set FROM reader_token)

-- name: live_scopes
SELECT count(DISTINCT scope) AS scopes FROM standing WHERE seq_to IS NULL AND status = 'live'

-- name: draft_sums
SELECT count(*) FILTER (WHERE calls > 0) AS drafts,
    coalesce(sum(calls), 0) AS calls,
    coalesce(sum(seconds) FILTER (WHERE calls > 0), 0.0) AS seconds,
    coalesce(max(seconds) FILTER (WHERE calls > 0), 0.0) AS slowest_s,
    coalesce(sum(prompt_tokens), 0) AS prompt_tokens,
    coalesce(sum(completion_tokens), 0) AS completion_tokens,
    coalesce(sum(kept), 0) AS kept,
    coalesce(sum(shared), 0) AS shared
FROM (
    SELECT step.value ->> 'calls' AS calls,
        step.value ->> 'seconds' AS seconds,
        step.value ->> 'prompt_tokens' AS prompt_tokens,
        step.value ->> 'completion_tokens' AS completion_tokens,
        step.value ->> 'kept' AS kept,
        step.value ->> 'shared' AS shared
    FROM packet, json_each(packet.body, '$.trace') AS step
    WHERE step.value ->> 'step' = 'draft')

-- name: judge_sums
SELECT coalesce(sum(step.value ->> 'asked'), 0) AS asked,
    coalesce(sum(step.value ->> 'calls'), 0) AS calls,
    coalesce(sum(step.value ->> 'seconds'), 0.0) AS seconds,
    coalesce(sum(step.value ->> 'prompt_tokens'), 0) AS prompt_tokens,
    coalesce(sum(step.value ->> 'completion_tokens'), 0) AS completion_tokens
FROM packet, json_each(packet.body, '$.trace') AS step
WHERE step.value ->> 'step' IN ('ask_judge', 'route')

-- name: sample
SELECT p.revision, p.ordinal
FROM standing AS s JOIN passage AS p ON p.revision = s.revision
WHERE s.seq_to IS NULL AND s.status = 'live'
ORDER BY random()
LIMIT :size

-- name: held
SELECT wanted.value ->> 0 AS revision, wanted.value ->> 1 AS ordinal
FROM json_each(:keys) AS wanted
CROSS JOIN standing AS s ON s.revision = wanted.value ->> 0 AND s.seq_to IS NULL AND s.status = 'live'
CROSS JOIN passage AS p ON p.revision = s.revision AND p.ordinal = wanted.value ->> 1

-- name: quick_check
PRAGMA quick_check(5)

-- name: foreign_key_check
PRAGMA foreign_key_check

-- name: every_standing
SELECT * FROM full_standing WHERE seq_to IS NULL
