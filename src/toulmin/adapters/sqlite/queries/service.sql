-- What the service keeps for its callers: API keys, and replies to writes.

-- name: api_key
SELECT * FROM api_key WHERE id = :id

-- name: api_keys
SELECT * FROM api_key ORDER BY created_at, id

-- name: add_api_key
INSERT INTO api_key (id, secret_sha256, principal, label, created_at, expires_at)
VALUES (:id, :secret_sha256, :principal, :label, :created_at, :expires_at)
ON CONFLICT DO NOTHING
RETURNING id

-- name: revoke_api_key
UPDATE api_key SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL

-- name: forget_replies
DELETE FROM reply WHERE expires_at <= :at

-- name: reply
SELECT run, fingerprint, overdue_at, expires_at, status, body FROM reply WHERE owner = :owner AND key = :key

-- name: begin_reply
INSERT INTO reply (owner, key, fingerprint, run, overdue_at, expires_at)
VALUES (:owner, :key, :fingerprint, :run, :overdue_at, :expires_at)
ON CONFLICT (owner, key) DO UPDATE
SET fingerprint = excluded.fingerprint, run = excluded.run, overdue_at = excluded.overdue_at, expires_at = excluded.expires_at,
    status = NULL, body = NULL

-- name: finish_reply
UPDATE reply SET status = :status, body = :body WHERE owner = :owner AND key = :key AND run = :run AND status IS NULL

-- name: abandon_reply
DELETE FROM reply WHERE owner = :owner AND key = :key AND run = :run AND status IS NULL
