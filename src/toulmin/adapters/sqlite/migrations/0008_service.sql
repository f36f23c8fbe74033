-- What the service keeps for its callers.

-- API keys: of a secret only its digest. A key is never changed, but that it may be revoked, once.
CREATE TABLE api_key (
    id            TEXT PRIMARY KEY,
    secret_sha256 TEXT NOT NULL,
    principal     TEXT NOT NULL,  -- JSON
    label         TEXT,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER,
    revoked_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TRIGGER api_key_stays BEFORE UPDATE OF id, secret_sha256, principal, label, created_at, expires_at ON api_key
    BEGIN SELECT raise(ABORT, 'an API key is not changed'); END;
CREATE TRIGGER api_key_stays_revoked BEFORE UPDATE OF revoked_at ON api_key WHEN OLD.revoked_at IS NOT NULL
    BEGIN SELECT raise(ABORT, 'what was revoked stays revoked'); END;
CREATE TRIGGER api_key_remains BEFORE DELETE ON api_key
    BEGIN SELECT raise(ABORT, 'API keys are not removed'); END;

-- Replies to writes that came with an idempotency key, by whose key it is; without status: the write is under way.
CREATE TABLE reply (
    owner       TEXT NOT NULL,     -- digest of a principal's id and tenant
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,     -- of the request
    run         INTEGER NOT NULL,  -- drawn at random: whose the write is
    overdue_at  INTEGER NOT NULL,  -- from then on the run is taken for dead
    expires_at  INTEGER NOT NULL,
    status      INTEGER,
    body        BLOB,
    PRIMARY KEY (owner, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX reply_by_expiry ON reply (expires_at);
