-- What rests on documents, and the erasure of their words.

-- name: packet_ids_on
-- Packets whose selected evidence names the document: a source that was only a candidate is none that a decision rests on.
SELECT p.id
FROM packet AS p
WHERE p.key IN (
    SELECT packet
    FROM packet_source
    WHERE document = %(document)s AND (%(version)s::text IS NULL OR version = %(version)s))
  AND EXISTS (
    SELECT 1
    FROM json_array_elements(p.body::json -> 'documents') AS named
    WHERE named.value ->> 'document' = %(document)s
      AND (%(version)s::text IS NULL OR named.value ->> 'version' = %(version)s))
ORDER BY p.key

-- name: open_approvals_on
SELECT a.key, a.id, a.operation, p.id AS packet, a.name, a.params, a.instance, a.evidence, a.policy, a.answer, a.requester, a.expires_at
FROM approval AS a
JOIN packet AS p ON p.key = a.packet
WHERE a.state IN ('requested', 'approved')
  AND a.packet IN (SELECT packet FROM packet_source WHERE document = %(document)s)
ORDER BY a.key

-- name: forget_packet_text
DELETE FROM packet_text WHERE packet = (SELECT key FROM packet WHERE id = %(packet)s) AND sha256 = %(sha256)s

-- name: forget_outputs
DELETE FROM approval_output
WHERE approval IN (SELECT a.key FROM approval AS a JOIN packet AS p ON p.key = a.packet WHERE p.id = %(packet)s)

-- name: forget_description
-- By `json`, which leaves all other values as they were written; `jsonb` would refuse an escaped NUL.
UPDATE standing
SET descriptor = (
    SELECT json_object_agg(said.key, CASE WHEN said.key IN ('title', 'author') THEN 'null' ELSE said.value END)
    FROM json_each(descriptor::json) AS said)
WHERE revision = %(revision)s

-- name: add_unfinished_erasure
INSERT INTO unfinished_erasure (revision) VALUES (%(revision)s)

-- name: unfinished_erasures
SELECT r.document, r.version
FROM unfinished_erasure AS e JOIN revision AS r ON r.key = e.revision
ORDER BY r.document, r.version

-- name: finish_erasure
DELETE FROM unfinished_erasure
WHERE revision = (SELECT key FROM revision WHERE document = %(document)s AND version = %(version)s)

-- name: unerased
SELECT * FROM full_standing WHERE seq_to IS NULL AND status <> 'erased' ORDER BY document, version
