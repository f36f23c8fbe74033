-- The corpus, its fingerprint, and kept packets.
-- Instants are microseconds since 1970-01-01T00:00Z. Nothing that a request may be pinned to is changed in place.

-- The immutable part of a document's version. `bucket` is its place in the fingerprint.
CREATE TABLE revision (
    key          INTEGER PRIMARY KEY,
    document     TEXT NOT NULL,
    version      TEXT NOT NULL,
    text_sha256  TEXT NOT NULL,
    bytes_sha256 TEXT NOT NULL,
    encoding     TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    parser       TEXT NOT NULL,
    ingested_at  INTEGER NOT NULL,
    bucket       INTEGER NOT NULL,
    UNIQUE (document, version)
) STRICT;
CREATE INDEX revision_by_bucket ON revision (bucket);

-- Content stands apart: scans of revisions stay small, and deleting it leaves the tombstone.
CREATE TABLE revision_text (
    revision INTEGER PRIMARY KEY REFERENCES revision,
    text     TEXT NOT NULL,
    pages    TEXT NOT NULL  -- JSON list of [index, start, end, label]
) STRICT;
CREATE TABLE passage (
    revision   INTEGER NOT NULL REFERENCES revision,
    ordinal    INTEGER NOT NULL,
    span_start INTEGER NOT NULL,
    span_end   INTEGER NOT NULL,
    heading    TEXT NOT NULL,  -- JSON list, outermost first
    PRIMARY KEY (revision, ordinal)
) STRICT, WITHOUT ROWID;

-- Interned: few are distinct. Keys only grow, rows never change.
CREATE TABLE scope (
    key       INTEGER PRIMARY KEY,
    canonical TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE reader_set (
    key       INTEGER PRIMARY KEY,
    canonical TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE reader_token (
    token      TEXT NOT NULL,
    reader_set INTEGER NOT NULL REFERENCES reader_set,
    PRIMARY KEY (token, reader_set)
) STRICT, WITHOUT ROWID;

-- How a revision stands from sequence number `seq_from` until before `seq_to` (NULL: now). Only `seq_to` is ever written
-- again. The greatest `seq_from` is the corpus's sequence number.
CREATE TABLE standing (
    revision   INTEGER NOT NULL REFERENCES revision,
    seq_from   INTEGER NOT NULL,
    seq_to     INTEGER CHECK (seq_to > seq_from),
    descriptor TEXT NOT NULL,     -- JSON
    scope      INTEGER NOT NULL REFERENCES scope,
    reader_set INTEGER NOT NULL REFERENCES reader_set,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,  -- the greatest integer: open
    superseded INTEGER NOT NULL CHECK (superseded IN (0, 1)),
    status     TEXT NOT NULL CHECK (status IN ('live', 'withdrawn', 'deleted')),
    PRIMARY KEY (revision, seq_from)
) STRICT;
CREATE UNIQUE INDEX standing_now ON standing (revision) WHERE seq_to IS NULL;
CREATE INDEX standing_by_sequence ON standing (seq_from, revision);
CREATE INDEX standing_by_scope ON standing (scope, reader_set, valid_from, valid_to)
    WHERE seq_to IS NULL AND status = 'live';

CREATE VIEW full_standing AS
    SELECT r.key, r.document, r.version, r.text_sha256, r.bytes_sha256, r.ingested_at, r.bucket,
           s.seq_from, s.seq_to, s.descriptor, s.scope, s.reader_set, s.valid_from, s.valid_to, s.superseded, s.status
    FROM standing AS s JOIN revision AS r ON r.key = s.revision;

-- The fingerprint's tree: level 0 is the root, level 16 the buckets.
CREATE TABLE fingerprint_node (
    level  INTEGER NOT NULL,
    place  INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (level, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE packet (
    key       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    body      TEXT NOT NULL,
    requester TEXT NOT NULL,
    evidence  TEXT NOT NULL,
    corpus    TEXT NOT NULL,
    made_at   INTEGER NOT NULL
) STRICT;
CREATE TABLE packet_text (
    packet INTEGER NOT NULL REFERENCES packet,
    sha256 TEXT NOT NULL,
    text   TEXT NOT NULL,
    PRIMARY KEY (packet, sha256)
) STRICT;
CREATE TABLE packet_source (
    packet   INTEGER NOT NULL REFERENCES packet,
    document TEXT NOT NULL,
    version  TEXT NOT NULL,
    PRIMARY KEY (packet, document, version)
) STRICT, WITHOUT ROWID;
