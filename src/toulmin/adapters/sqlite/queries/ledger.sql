-- The ledger. Texts that are checked come as bytes: what was tampered with need not be text any more.

-- name: append_entry
INSERT INTO ledger_entry (sequence, at, kind, actor, facts)
SELECT coalesce(max(sequence), 0) + 1, :at, :kind, :actor, :facts FROM ledger_entry

-- name: last_entry
SELECT sequence, CAST(at AS BLOB) AS at, CAST(kind AS BLOB) AS kind, CAST(actor AS BLOB) AS actor, CAST(facts AS BLOB) AS facts
FROM ledger_entry
WHERE kind = :kind
ORDER BY sequence DESC
LIMIT 1

-- name: ledger_entries
SELECT sequence, CAST(at AS BLOB) AS at, CAST(kind AS BLOB) AS kind, CAST(actor AS BLOB) AS actor, CAST(facts AS BLOB) AS facts
FROM ledger_entry
WHERE sequence >= :first
ORDER BY sequence
LIMIT :limit

-- name: ledger_end
SELECT coalesce(max(sequence), 0) AS sequence FROM ledger_entry

-- name: ledger_links
SELECT sequence, CAST(digest AS BLOB) AS digest FROM ledger_link WHERE sequence >= :first ORDER BY sequence LIMIT :limit

-- name: ledger_checkpoints
SELECT sequence, CAST(link AS BLOB) AS link, CAST(at AS BLOB) AS at, CAST(previous AS BLOB) AS previous,
       CAST(key AS BLOB) AS key, CAST(signature AS BLOB) AS signature
FROM ledger_checkpoint
ORDER BY sequence DESC
LIMIT :limit

-- name: add_link
INSERT INTO ledger_link (sequence, digest) VALUES (:sequence, :digest)

-- name: add_checkpoint
INSERT INTO ledger_checkpoint (sequence, link, at, previous, key, signature)
VALUES (:sequence, :link, :at, :previous, :key, :signature)
