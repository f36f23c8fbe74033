-- Who may read what, whatever a statement says (docs/decisions/0017-postgres.md).
-- toulmin_app serves principals, toulmin_worker curates and feeds the indexes, toulmin_auditor reads the ledger.
-- They belong to all databases of a server, and an administrator may have made them before.
DO $$
DECLARE
    name text;
    able text := CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END;
BEGIN
    FOREACH name IN ARRAY ARRAY['toulmin_app', 'toulmin_worker', 'toulmin_auditor'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', name);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;  -- another database of this server was migrated at the same moment
        END;
        IF NOT pg_has_role(session_user, name, able) THEN
            EXECUTE format('GRANT %I TO %I', name, session_user);  -- who owns the tables reads them anyway
        END IF;
    END LOOP;
END $$;

-- The key with which the application signs what a principal may read, as the pads of HMAC-SHA-256. Only functions of the owner read it.
CREATE TABLE rights_key (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    inner_pad bytea NOT NULL CHECK (octet_length(inner_pad) = 64),
    outer_pad bytea NOT NULL CHECK (octet_length(outer_pad) = 64)
);

-- What the application says of the principal, in `toulmin.principal`: 64 hex digits of HMAC, and the JSON that they are for. Nothing where it
-- says nothing. What is not signed for this very connection is refused, not ignored.
CREATE FUNCTION claims() RETURNS jsonb LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
DECLARE
    stated text := coalesce(current_setting('toulmin.principal', true), '');
    said text := substr(stated, 65);
    expected text;
BEGIN
    IF stated = '' THEN
        RETURN '{}';
    END IF;
    SELECT encode(sha256(outer_pad || sha256(inner_pad || convert_to(said, 'UTF8'))), 'hex') INTO expected FROM rights_key;
    IF left(stated, 64) IS DISTINCT FROM expected OR (said::jsonb ->> 'connection')::integer IS DISTINCT FROM pg_backend_pid() THEN
        RAISE EXCEPTION 'toulmin.principal is not signed with the key of this store' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN said;
END $$;

-- The reader sets that hold one of the principal's tokens.
CREATE FUNCTION readable_sets() RETURNS bigint[] LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT coalesce(array_agg(DISTINCT reader_set), '{}')
    FROM reader_token
    WHERE token IN (SELECT jsonb_array_elements_text(claims() -> 'tokens'))
$$;

-- Whether the principal may read a revision now.
CREATE FUNCTION is_readable(wanted bigint) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT EXISTS (
        SELECT 1 FROM standing WHERE revision = wanted AND seq_to IS NULL AND reader_set = ANY ((SELECT readable_sets())::bigint[]))
$$;

-- Whether the principal may see a packet: it may read all sources now, or, where there are none, it asked itself.
CREATE FUNCTION is_visible(wanted bigint, asked_by text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT CASE
        WHEN EXISTS (SELECT 1 FROM packet_source WHERE packet = wanted) THEN NOT EXISTS (
            SELECT 1
            FROM packet_source AS source
            LEFT JOIN revision AS r ON r.document = source.document AND r.version = source.version
            LEFT JOIN standing AS now ON now.revision = r.key AND now.seq_to IS NULL
            WHERE source.packet = wanted AND NOT coalesce(now.reader_set = ANY ((SELECT readable_sets())::bigint[]), false))
        ELSE coalesce(asked_by = claims() ->> 'requester', false)
    END
$$;

-- Whether somebody of another tenant requested an approval: its parameters tell of that tenant's matters.
CREATE FUNCTION is_anothers(requester text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT coalesce(bool_or(starts_with(token, 'tenant:')) AND NOT bool_or(token = 'tenant:' || (requester::json ->> 'tenant')), false)
    FROM jsonb_array_elements_text(claims() -> 'tokens') AS token
$$;

-- What an application writes goes through functions of the owner: a key is counted over all rows, seen or not, and what was written before
-- this transaction is out of reach.
CREATE FUNCTION add_packet(id text, body text, requester text, evidence text, corpus text, made_at bigint) RETURNS SETOF bigint
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO packet (key, id, body, requester, evidence, corpus, made_at)
    VALUES ((SELECT coalesce(max(key), 0) + 1 FROM packet), $1, $2, $3, $4, $5, $6)
    ON CONFLICT (id) DO NOTHING
    RETURNING key
$$;

CREATE FUNCTION is_new_packet(wanted bigint) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT EXISTS (SELECT 1 FROM packet WHERE key = wanted AND xmin = pg_current_xact_id()::xid)
$$;

CREATE FUNCTION add_packet_text(packet bigint, sha256 text, text text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO packet_text (packet, sha256, text) SELECT $1, $2, $3 WHERE is_new_packet($1)
$$;

CREATE FUNCTION add_packet_source(packet bigint, document text, version text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO packet_source (packet, document, version) SELECT $1, $2, $3 WHERE is_new_packet($1)
$$;

CREATE FUNCTION add_approval(
    id text, operation text, packet text, name text, params text, instance text, evidence text, policy text, answer text,
    requester text, expires_at bigint, state text) RETURNS SETOF bigint
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO approval
        (key, id, operation, packet, name, params, instance, evidence, policy, answer, requester, expires_at, state, steps)
    SELECT (SELECT coalesce(max(a.key), 0) + 1 FROM approval AS a), $1, $2, p.key, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1
    FROM packet AS p
    WHERE p.id = $3 AND NOT EXISTS (
        SELECT 1 FROM approval AS a
        WHERE a.operation = $2 AND a.state NOT IN ('rejected', 'revoked', 'expired', 'stale'))
    RETURNING key
$$;

CREATE FUNCTION move_approval(id text, steps integer, state text) RETURNS SETOF bigint
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    UPDATE approval AS a SET state = $3, steps = a.steps + 1 WHERE a.id = $1 AND a.steps = $2 RETURNING key
$$;

CREATE FUNCTION add_approval_step(
    approval bigint, number integer, state text, at bigint, person text, comment text, says text, lease text, code text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO approval_step (approval, number, state, at, person, comment, says, lease, code)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
$$;

CREATE FUNCTION add_approval_output(approval bigint, number integer, text text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO approval_output (approval, number, text) VALUES ($1, $2, $3)
$$;

CREATE FUNCTION append_entry(at text, kind text, actor text, facts text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    INSERT INTO ledger_entry (sequence, at, kind, actor, facts)
    VALUES ((SELECT coalesce(max(sequence), 0) + 1 FROM ledger_entry), $1, $2, $3, $4)
$$;

CREATE FUNCTION last_entry(wanted text) RETURNS SETOF ledger_entry
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = toulmin, pg_temp AS $$
    SELECT * FROM ledger_entry WHERE kind = wanted ORDER BY sequence DESC LIMIT 1
$$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA toulmin FROM PUBLIC;
GRANT USAGE ON SCHEMA toulmin TO toulmin_app, toulmin_worker, toulmin_auditor;

-- The worker sees and changes everything but the key: it curates for whoever may, and what it tells the indexes is checked again for
-- each principal.
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'toulmin' AND tablename NOT IN ('migration', 'rights_key') LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO toulmin_worker', name);
        EXECUTE format('CREATE POLICY worker ON %I TO toulmin_worker USING (true) WITH CHECK (true)', name);
    END LOOP;
END $$;
ALTER TABLE rights_key ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON full_standing TO toulmin_worker;

-- The auditor reads the ledger, and how far corpus and fingerprint have come.
GRANT SELECT ON ledger_entry, ledger_link, ledger_checkpoint, change, fingerprint_node TO toulmin_auditor;
CREATE POLICY auditor ON ledger_entry FOR SELECT TO toulmin_auditor USING (true);
CREATE POLICY auditor ON ledger_link FOR SELECT TO toulmin_auditor USING (true);
CREATE POLICY auditor ON ledger_checkpoint FOR SELECT TO toulmin_auditor USING (true);
CREATE POLICY auditor ON change FOR SELECT TO toulmin_auditor USING (true);
CREATE POLICY auditor ON fingerprint_node FOR SELECT TO toulmin_auditor USING (true);

-- The application reads what the principal may read, and of what is nobody's secret: scopes, sequence numbers and the fingerprint's root.
GRANT SELECT ON revision, revision_text, passage, standing, full_standing, reader_set, reader_token, scope, change, fingerprint_node,
    packet, packet_text, packet_source, approval, approval_step, approval_output TO toulmin_app;
CREATE POLICY app ON standing FOR SELECT TO toulmin_app USING (
    CASE WHEN seq_to IS NULL THEN reader_set = ANY ((SELECT readable_sets())::bigint[]) ELSE is_readable(revision) END);
CREATE POLICY app ON revision FOR SELECT TO toulmin_app USING (
    EXISTS (SELECT 1 FROM standing AS now WHERE now.revision = key AND now.seq_to IS NULL));
CREATE POLICY app ON revision_text FOR SELECT TO toulmin_app USING (
    EXISTS (SELECT 1 FROM standing AS now WHERE now.revision = revision_text.revision AND now.seq_to IS NULL));
CREATE POLICY app ON passage FOR SELECT TO toulmin_app USING (
    EXISTS (SELECT 1 FROM standing AS now WHERE now.revision = passage.revision AND now.seq_to IS NULL));
CREATE POLICY app ON reader_set FOR SELECT TO toulmin_app USING (key = ANY ((SELECT readable_sets())::bigint[]));
CREATE POLICY app ON reader_token FOR SELECT TO toulmin_app USING (reader_set = ANY ((SELECT readable_sets())::bigint[]));
CREATE POLICY app ON scope FOR SELECT TO toulmin_app USING (true);
CREATE POLICY app ON change FOR SELECT TO toulmin_app USING (true);
CREATE POLICY app ON fingerprint_node FOR SELECT TO toulmin_app USING (level = 0);
CREATE POLICY app ON packet FOR SELECT TO toulmin_app USING (is_visible(key, requester));
CREATE POLICY app ON packet_text FOR SELECT TO toulmin_app USING (EXISTS (SELECT 1 FROM packet AS p WHERE p.key = packet));
CREATE POLICY app ON packet_source FOR SELECT TO toulmin_app USING (EXISTS (SELECT 1 FROM packet AS p WHERE p.key = packet));
CREATE POLICY app ON approval FOR SELECT TO toulmin_app USING (
    EXISTS (SELECT 1 FROM packet AS p WHERE p.key = packet) AND NOT is_anothers(requester));
CREATE POLICY app ON approval_step FOR SELECT TO toulmin_app USING (EXISTS (SELECT 1 FROM approval AS a WHERE a.key = approval));
CREATE POLICY app ON approval_output FOR SELECT TO toulmin_app USING (EXISTS (SELECT 1 FROM approval AS a WHERE a.key = approval));

GRANT EXECUTE ON FUNCTION readable_sets, is_readable, is_visible, is_anothers TO toulmin_app;
GRANT EXECUTE ON FUNCTION add_packet, add_packet_text, add_packet_source, add_approval, move_approval, add_approval_step,
    add_approval_output, append_entry, last_entry TO toulmin_app, toulmin_worker;
