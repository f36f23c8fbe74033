-- Approvals. A principal sees those on packets all of whose sources it may read now; an approvable packet has sources.

-- name: add_approval
INSERT INTO approval
    (id, operation, packet, name, params, instance, evidence, policy, answer, requester, expires_at, state, steps)
SELECT :id, :operation, key, :name, :params, :instance, :evidence, :policy, :answer, :requester, :expires_at, :state, 1
FROM packet
WHERE id = :packet AND NOT EXISTS (
    SELECT 1 FROM approval
    WHERE operation = :operation AND state NOT IN ('rejected', 'revoked', 'expired', 'stale'))
RETURNING key

-- name: move_approval
UPDATE approval SET state = :state, steps = steps + 1 WHERE id = :id AND steps = :steps RETURNING key

-- name: add_approval_step
INSERT INTO approval_step (approval, number, state, at, person, comment, says, lease, code)
VALUES (:approval, :number, :state, :at, :person, :comment, :says, :lease, :code)

-- name: add_approval_output
INSERT INTO approval_output (approval, number, text) VALUES (:approval, :number, :text)

-- name: visible_approvals
SELECT a.key, a.id, a.expires_at,
       CASE WHEN a.state IN ('requested', 'approved') AND a.expires_at <= :at THEN 'expired' ELSE a.state END AS state
FROM approval AS a
WHERE (:id IS NULL OR a.id = :id)
  AND (:operation IS NULL OR (a.operation = :operation AND a.state NOT IN ('rejected', 'revoked', 'expired', 'stale')))
  AND (:name IS NULL OR a.name = :name)
  AND (:requester IS NULL OR json_extract(a.requester, '$.id') = :requester)
  AND (:but IS NULL OR json_extract(a.requester, '$.id') <> :but OR json_extract(a.requester, '$.tenant') IS NOT :but_tenant)
  AND (json_extract(a.requester, '$.tenant') IS NULL
       OR NOT EXISTS (SELECT 1 FROM json_each(:tokens) WHERE substr(value, 1, 7) = 'tenant:')
       OR 'tenant:' || json_extract(a.requester, '$.tenant') IN (SELECT value FROM json_each(:tokens)))
  AND EXISTS (SELECT 1 FROM packet_source WHERE packet = a.packet)
  AND NOT EXISTS (
      SELECT 1
      FROM packet_source AS source
      LEFT JOIN revision AS r ON r.document = source.document AND r.version = source.version
      LEFT JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
      WHERE source.packet = a.packet
        AND NOT coalesce(now.reader_set IN (
            SELECT reader_set FROM reader_token WHERE token IN (SELECT value FROM json_each(:tokens))), 0))
ORDER BY a.key

-- name: approvals
SELECT a.key, a.id, a.operation, p.id AS packet, a.name, a.params, a.instance, a.evidence, a.policy, a.answer, a.requester, a.expires_at
FROM approval AS a
JOIN packet AS p ON p.key = a.packet
WHERE a.key IN (SELECT value FROM json_each(:keys))
ORDER BY a.key

-- name: approval_steps
SELECT s.approval, s.state, s.at, s.person, s.comment, s.says, s.lease, s.code, o.text AS output
FROM approval_step AS s
LEFT JOIN approval_output AS o ON o.approval = s.approval AND o.number = s.number
WHERE s.approval IN (SELECT value FROM json_each(:approvals))
ORDER BY s.approval, s.number
