-- What the service keeps for its callers: API keys, and replies to writes.

-- name: api_key
SELECT * FROM find_api_key(%(id)s)

-- name: api_keys
SELECT * FROM api_key ORDER BY created_at, id

-- name: add_api_key
INSERT INTO api_key (id, secret_sha256, principal, label, created_at, expires_at)
VALUES (%(id)s, %(secret_sha256)s, %(principal)s, %(label)s, %(created_at)s, %(expires_at)s)
ON CONFLICT DO NOTHING
RETURNING id

-- name: revoke_api_key
UPDATE api_key SET revoked_at = %(at)s WHERE id = %(id)s AND revoked_at IS NULL

-- name: forget_replies
SELECT forget_replies(%(at)s)

-- name: reply
SELECT run, fingerprint, overdue_at, expires_at, status, body FROM reply WHERE owner = %(owner)s AND key = %(key)s

-- name: begin_reply
INSERT INTO reply (owner, key, fingerprint, run, overdue_at, expires_at)
VALUES (%(owner)s, %(key)s, %(fingerprint)s, %(run)s, %(overdue_at)s, %(expires_at)s)
ON CONFLICT (owner, key) DO UPDATE
SET fingerprint = excluded.fingerprint, run = excluded.run, overdue_at = excluded.overdue_at, expires_at = excluded.expires_at,
    status = NULL, body = NULL

-- name: finish_reply
UPDATE reply SET status = %(status)s, body = %(body)s
WHERE owner = %(owner)s AND key = %(key)s AND run = %(run)s AND status IS NULL

-- name: abandon_reply
DELETE FROM reply WHERE owner = %(owner)s AND key = %(key)s AND run = %(run)s AND status IS NULL
