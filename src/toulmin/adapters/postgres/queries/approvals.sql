-- Approvals. A principal sees those on packets all of whose sources it may read now; an approvable packet has sources.

-- name: add_approval
SELECT key
FROM add_approval(%(id)s, %(operation)s, %(packet)s, %(name)s, %(params)s, %(instance)s, %(evidence)s, %(policy)s, %(answer)s,
                  %(requester)s, %(expires_at)s, %(state)s) AS key

-- name: move_approval
SELECT key FROM move_approval(%(id)s, %(steps)s::integer, %(state)s) AS key

-- name: add_approval_step
SELECT add_approval_step(%(approval)s, %(number)s::integer, %(state)s, %(at)s, %(person)s, %(comment)s, %(says)s, %(lease)s, %(code)s)

-- name: add_approval_output
SELECT add_approval_output(%(approval)s, %(number)s::integer, %(text)s)

-- name: visible_approvals
SELECT a.key, a.id, a.expires_at,
       CASE WHEN a.state IN ('requested', 'approved') AND a.expires_at <= %(at)s::bigint THEN 'expired' ELSE a.state END AS state
FROM approval AS a
WHERE (%(id)s::text IS NULL OR a.id = %(id)s)
  AND (%(operation)s::text IS NULL
       OR (a.operation = %(operation)s AND a.state NOT IN ('rejected', 'revoked', 'expired', 'stale')))
  AND (%(name)s::text IS NULL OR a.name = %(name)s)
  AND (%(requester)s::text IS NULL OR a.requester::json ->> 'id' = %(requester)s)
  AND (%(but)s::text IS NULL
       OR a.requester::json ->> 'id' <> %(but)s OR a.requester::json ->> 'tenant' IS DISTINCT FROM %(but_tenant)s::text)
  AND (a.requester::json ->> 'tenant' IS NULL
       OR NOT EXISTS (SELECT 1 FROM jsonb_array_elements_text(%(tokens)s::jsonb) AS token WHERE starts_with(token, 'tenant:'))
       OR 'tenant:' || (a.requester::json ->> 'tenant') IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb)))
  AND EXISTS (SELECT 1 FROM packet_source WHERE packet = a.packet)
  AND NOT EXISTS (
      SELECT 1
      FROM packet_source AS source
      LEFT JOIN revision AS r ON r.document = source.document AND r.version = source.version
      LEFT JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
      WHERE source.packet = a.packet
        AND NOT coalesce(now.reader_set IN (
            SELECT reader_set
            FROM reader_token
            WHERE token IN (SELECT jsonb_array_elements_text(%(tokens)s::jsonb))), false))
ORDER BY a.key

-- name: approvals
SELECT a.key, a.id, a.operation, p.id AS packet, a.name, a.params, a.instance, a.evidence, a.policy, a.answer, a.requester, a.expires_at
FROM approval AS a
JOIN packet AS p ON p.key = a.packet
WHERE a.key IN (SELECT jsonb_array_elements_text(%(keys)s::jsonb)::bigint)
ORDER BY a.key

-- name: approval_steps
SELECT s.approval, s.state, s.at, s.person, s.comment, s.says, s.lease, s.code, o.text AS output
FROM approval_step AS s
LEFT JOIN approval_output AS o ON o.approval = s.approval AND o.number = s.number
WHERE s.approval IN (SELECT jsonb_array_elements_text(%(approvals)s::jsonb)::bigint)
ORDER BY s.approval, s.number
