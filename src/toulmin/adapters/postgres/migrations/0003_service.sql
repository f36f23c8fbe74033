-- What the service keeps for its callers: the same tables as in SQLite, and who may read and write them.

-- API keys: of a secret only its digest. A key is never changed, but that it may be revoked, once.
CREATE TABLE api_key (
    id            text COLLATE "C" PRIMARY KEY,
    secret_sha256 text NOT NULL,
    principal     text NOT NULL,  -- JSON
    label         text,
    created_at    bigint NOT NULL,
    expires_at    bigint,
    revoked_at    bigint
);

CREATE TRIGGER api_key_stays
    BEFORE UPDATE OF id, secret_sha256, principal, label, created_at, expires_at ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER api_key_stays_revoked BEFORE UPDATE OF revoked_at ON api_key
    FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER api_key_remains BEFORE DELETE OR TRUNCATE ON api_key
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Replies to writes that came with an idempotency key, by whose key it is; without status: the write is under way.
CREATE TABLE reply (
    owner       text NOT NULL,    -- digest of a principal's id and tenant
    key         text NOT NULL,
    fingerprint text NOT NULL,    -- of the request
    run         bigint NOT NULL,  -- drawn at random: whose the write is
    overdue_at  bigint NOT NULL,  -- from then on the run is taken for dead
    expires_at  bigint NOT NULL,
    status      integer,
    body        bytea,
    PRIMARY KEY (owner, key)
);
CREATE INDEX reply_by_expiry ON reply (expires_at);

-- The application looks up one key whose id it was told; only the worker lists, makes and revokes keys: whoever has an application's login
-- and not the key of the rights must not become another principal by a key of his own making.
CREATE FUNCTION find_api_key(wanted text) RETURNS SETOF api_key
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT * FROM api_key WHERE id = wanted
$$;

-- Whose replies the application may read and write now.
CREATE FUNCTION reply_owner() RETURNS text LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT claims() ->> 'owner'
$$;

-- Everybody's replies that have expired, by the application's clock and by the server's own.
CREATE FUNCTION forget_replies(at bigint) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    DELETE FROM reply WHERE expires_at <= least($1, (extract(epoch FROM now()) * 1000000)::bigint)
$$;

REVOKE EXECUTE ON FUNCTION find_api_key, reply_owner, forget_replies FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key TO toulmin_app, toulmin_worker;
GRANT EXECUTE ON FUNCTION reply_owner, forget_replies TO toulmin_app;

ALTER TABLE api_key ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE (revoked_at) ON api_key TO toulmin_worker;
CREATE POLICY worker ON api_key TO toulmin_worker USING (true) WITH CHECK (true);

ALTER TABLE reply ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON reply TO toulmin_app;
CREATE POLICY app ON reply TO toulmin_app USING (owner = (SELECT reply_owner())) WITH CHECK (owner = (SELECT reply_owner()));
