-- The ledger. Texts that are checked come as bytes, as in SQLite.

-- name: append_entry
SELECT append_entry(%(at)s, %(kind)s, %(actor)s, %(facts)s)

-- name: last_entry
SELECT sequence, convert_to(at, 'UTF8') AS at, convert_to(kind, 'UTF8') AS kind, convert_to(actor, 'UTF8') AS actor,
       convert_to(facts, 'UTF8') AS facts
FROM last_entry(%(kind)s)

-- name: ledger_entries
SELECT sequence, convert_to(at, 'UTF8') AS at, convert_to(kind, 'UTF8') AS kind, convert_to(actor, 'UTF8') AS actor,
       convert_to(facts, 'UTF8') AS facts
FROM ledger_entry
WHERE sequence >= %(first)s
ORDER BY sequence
LIMIT %(limit)s

-- name: ledger_end
SELECT coalesce(max(sequence), 0) AS sequence FROM ledger_entry

-- name: ledger_links
SELECT sequence, convert_to(digest, 'UTF8') AS digest
FROM ledger_link
WHERE sequence >= %(first)s
ORDER BY sequence
LIMIT %(limit)s

-- name: ledger_checkpoints
SELECT sequence, convert_to(link, 'UTF8') AS link, convert_to(at, 'UTF8') AS at, convert_to(previous, 'UTF8') AS previous,
       convert_to(key, 'UTF8') AS key, convert_to(signature, 'UTF8') AS signature
FROM ledger_checkpoint
ORDER BY sequence DESC
LIMIT nullif(%(limit)s, -1)

-- name: add_link
INSERT INTO ledger_link (sequence, digest) VALUES (%(sequence)s, %(digest)s)

-- name: add_checkpoint
INSERT INTO ledger_checkpoint (sequence, link, at, previous, key, signature)
VALUES (%(sequence)s, %(link)s, %(at)s, %(previous)s, %(key)s, %(signature)s)
