-- The corpus and its fingerprint, kept packets, ledger and approvals: the same tables as in SQLite.
-- Instants are microseconds since 1970-01-01T00:00Z. Keys are counted under the writers' lock, so that they have no gaps and
-- grow in the order of commits. Texts that order anything are ordered by their bytes (COLLATE "C"), whatever the database's locale.
-- A NUL, which PostgreSQL's text does not hold, is kept as U+001A followed by 0, and U+001A itself as two of it.

-- The immutable part of a document's version. `bucket` is its place in the fingerprint.
CREATE TABLE revision (
    key           bigint PRIMARY KEY,
    document      text COLLATE "C" NOT NULL,
    version       text COLLATE "C" NOT NULL,
    text_sha256   text NOT NULL,
    bytes_sha256  text NOT NULL,
    encoding      text NOT NULL,
    media_type    text NOT NULL,
    parser        text NOT NULL,
    ingested_at   bigint NOT NULL,
    bucket        integer NOT NULL,
    content_since bigint NOT NULL DEFAULT 0,  -- the sequence number from which its text is what it is
    UNIQUE (document, version)
);
CREATE INDEX revision_by_bucket ON revision (bucket);

-- Content stands apart: scans of revisions stay small, and deleting it leaves the tombstone.
CREATE TABLE revision_text (
    revision bigint PRIMARY KEY REFERENCES revision,
    text     text NOT NULL,
    pages    text NOT NULL  -- JSON list of [index, start, end, label]
);
CREATE TABLE passage (
    revision   bigint NOT NULL REFERENCES revision,
    ordinal    integer NOT NULL,
    span_start integer NOT NULL,
    span_end   integer NOT NULL,
    heading    text NOT NULL,  -- JSON list, outermost first
    PRIMARY KEY (revision, ordinal)
);

-- Interned: few are distinct. Keys only grow, rows never change.
CREATE TABLE scope (
    key       bigint PRIMARY KEY,
    canonical text COLLATE "C" NOT NULL UNIQUE
);
CREATE TABLE reader_set (
    key       bigint PRIMARY KEY,
    canonical text COLLATE "C" NOT NULL UNIQUE
);
CREATE TABLE reader_token (
    token      text COLLATE "C" NOT NULL,
    reader_set bigint NOT NULL REFERENCES reader_set,
    PRIMARY KEY (token, reader_set)
);

-- How a revision stands from sequence number `seq_from` until before `seq_to` (NULL: now). The greatest `seq_from` is the corpus's
-- sequence number.
CREATE TABLE standing (
    revision   bigint NOT NULL REFERENCES revision,
    seq_from   bigint NOT NULL,
    seq_to     bigint CHECK (seq_to > seq_from),
    descriptor text NOT NULL,    -- JSON; erasing takes title and author out of it
    scope      bigint NOT NULL REFERENCES scope,
    reader_set bigint NOT NULL REFERENCES reader_set,
    valid_from bigint NOT NULL,
    valid_to   bigint NOT NULL,  -- the greatest integer: open
    superseded boolean NOT NULL,
    status     text NOT NULL CHECK (status IN ('live', 'withdrawn', 'deleted', 'erased')),
    PRIMARY KEY (revision, seq_from)
);
CREATE UNIQUE INDEX standing_now ON standing (revision) WHERE seq_to IS NULL;
CREATE INDEX standing_by_sequence ON standing (seq_from, revision);
CREATE INDEX standing_by_scope ON standing (scope, reader_set, valid_from, valid_to)
    WHERE seq_to IS NULL AND status = 'live';
CREATE INDEX standing_by_start ON standing (valid_from) WHERE seq_to IS NULL;
CREATE INDEX standing_by_end ON standing (valid_to) WHERE seq_to IS NULL;

CREATE VIEW full_standing WITH (security_invoker = true) AS
    SELECT r.key, r.document, r.version, r.text_sha256, r.bytes_sha256, r.ingested_at, r.bucket,
           s.seq_from, s.seq_to, s.descriptor, s.scope, s.reader_set, s.valid_from, s.valid_to, s.superseded, s.status
    FROM standing AS s JOIN revision AS r ON r.key = s.revision;

-- A mark for every change, drawn at random: it tells this store's history from that of another one, and from what was before a restore.
CREATE TABLE change (
    sequence bigint PRIMARY KEY,
    mark     bigint NOT NULL  -- 62 random bits
);

-- What was ingested, so that the same again is known before it is parsed.
CREATE TABLE input (
    revision bigint PRIMARY KEY REFERENCES revision,
    digest   text NOT NULL
);
CREATE INDEX input_by_digest ON input (digest);

-- The fingerprint's tree: level 0 is the root, level 16 the buckets.
CREATE TABLE fingerprint_node (
    level  integer NOT NULL,
    place  integer NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (level, place)
);

-- Erased revisions whose words may still be in files of store or index: none, once an erasure is finished.
CREATE TABLE unfinished_erasure (
    revision bigint PRIMARY KEY REFERENCES revision
);

CREATE TABLE packet (
    key       bigint PRIMARY KEY,
    id        text NOT NULL UNIQUE,
    body      text NOT NULL,  -- canonical JSON
    requester text NOT NULL,
    evidence  text NOT NULL,
    corpus    text NOT NULL,
    made_at   bigint NOT NULL
);
CREATE TABLE packet_text (
    packet bigint NOT NULL REFERENCES packet,
    sha256 text NOT NULL,
    text   text NOT NULL,
    PRIMARY KEY (packet, sha256)
);
CREATE TABLE packet_source (
    packet   bigint NOT NULL REFERENCES packet,
    document text COLLATE "C" NOT NULL,
    version  text COLLATE "C" NOT NULL,
    PRIMARY KEY (packet, document, version)
);
CREATE INDEX packet_source_by_document ON packet_source (document, version);

-- The ledger: rows that are only ever added, in order. Digests and instants are the texts that are chained (docs/reference/ledger.md).
CREATE TABLE ledger_entry (
    sequence bigint PRIMARY KEY,
    at       text NOT NULL,
    kind     text NOT NULL,
    actor    text NOT NULL,
    facts    text NOT NULL  -- canonical JSON
);
CREATE INDEX ledger_entry_by_kind ON ledger_entry (kind, sequence);

-- The chain, as far as it is sealed.
CREATE TABLE ledger_link (
    sequence bigint PRIMARY KEY REFERENCES ledger_entry,
    digest   text NOT NULL
);
CREATE TABLE ledger_checkpoint (
    sequence  bigint PRIMARY KEY REFERENCES ledger_link,
    link      text NOT NULL,
    at        text NOT NULL,
    previous  text NOT NULL,
    key       text NOT NULL,
    signature text NOT NULL
);

-- Approvals, and the steps that became of them. What was requested and every step stay as they were written.
CREATE TABLE approval (
    key        bigint PRIMARY KEY,
    id         text NOT NULL UNIQUE,
    operation  text NOT NULL,  -- op-..., the digest of the columns from name to answer
    packet     bigint NOT NULL REFERENCES packet,
    name       text NOT NULL,
    params     text NOT NULL,  -- canonical JSON
    instance   text NOT NULL,
    evidence   text NOT NULL,
    policy     text NOT NULL,
    answer     text NOT NULL,  -- sha256
    requester  text NOT NULL,  -- the principal, as JSON
    expires_at bigint NOT NULL,
    state      text NOT NULL,  -- that of the last step
    steps      integer NOT NULL
);

-- At most one approval may ever have carried an operation out, or may yet: so it has at most one effect.
CREATE UNIQUE INDEX approval_holding ON approval (operation)
    WHERE state NOT IN ('rejected', 'revoked', 'expired', 'stale');
CREATE INDEX approval_of_packet ON approval (packet);

CREATE TABLE approval_step (
    approval bigint NOT NULL REFERENCES approval,
    number   integer NOT NULL,  -- counted from 1
    state    text NOT NULL,
    at       bigint NOT NULL,
    person   text,              -- JSON: id, tenant, digest
    comment  text,
    says     text NOT NULL,     -- JSON array
    lease    text,              -- JSON: host, process, until
    code     text,
    PRIMARY KEY (approval, number)
);

-- What an effect said. It may repeat words of an answer, and so stands apart: erasing it leaves the step.
CREATE TABLE approval_output (
    approval bigint NOT NULL,
    number   integer NOT NULL,
    text     text NOT NULL,
    PRIMARY KEY (approval, number),
    FOREIGN KEY (approval, number) REFERENCES approval_step
);

-- What is only ever added to, is refused everything else, whoever asks.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;

CREATE FUNCTION ledger_comes_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    EXECUTE format('SELECT coalesce(max(sequence), 0) FROM %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO last;
    IF NEW.sequence <= last OR (TG_ARGV[0] = 'without a gap' AND NEW.sequence <> last + 1) THEN
        RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION step_comes_next() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM approval_step WHERE approval = NEW.approval) THEN
        RAISE EXCEPTION 'approval_step is append-only' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER ledger_entry_comes_next BEFORE INSERT ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_comes_next('without a gap');
CREATE TRIGGER ledger_link_comes_next BEFORE INSERT ON ledger_link
    FOR EACH ROW EXECUTE FUNCTION ledger_comes_next('without a gap');
CREATE TRIGGER ledger_checkpoint_comes_next BEFORE INSERT ON ledger_checkpoint
    FOR EACH ROW EXECUTE FUNCTION ledger_comes_next('after the last');
CREATE TRIGGER approval_step_comes_next BEFORE INSERT ON approval_step
    FOR EACH ROW EXECUTE FUNCTION step_comes_next();

CREATE TRIGGER ledger_entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_link_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_link
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_checkpoint_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approval_step_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON approval_step
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approval_remains BEFORE DELETE OR TRUNCATE ON approval
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER approval_stays
    BEFORE UPDATE OF key, id, operation, packet, name, params, instance, evidence, policy, answer, requester, expires_at ON approval
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
