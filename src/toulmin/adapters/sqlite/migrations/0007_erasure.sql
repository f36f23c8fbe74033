-- Erasure. A table's constraint cannot be changed, so that `standing` is written anew for a fourth status.
DROP VIEW full_standing;
CREATE TABLE standing_anew (
    revision   INTEGER NOT NULL REFERENCES revision,
    seq_from   INTEGER NOT NULL,
    seq_to     INTEGER CHECK (seq_to > seq_from),
    descriptor TEXT NOT NULL,     -- JSON; erasing takes title and author out of it
    scope      INTEGER NOT NULL REFERENCES scope,
    reader_set INTEGER NOT NULL REFERENCES reader_set,
    valid_from INTEGER NOT NULL,
    valid_to   INTEGER NOT NULL,  -- the greatest integer: open
    superseded INTEGER NOT NULL CHECK (superseded IN (0, 1)),
    status     TEXT NOT NULL CHECK (status IN ('live', 'withdrawn', 'deleted', 'erased')),
    PRIMARY KEY (revision, seq_from)
) STRICT;
INSERT INTO standing_anew SELECT * FROM standing ORDER BY revision, seq_from;
DROP TABLE standing;
ALTER TABLE standing_anew RENAME TO standing;
CREATE UNIQUE INDEX standing_now ON standing (revision) WHERE seq_to IS NULL;
CREATE INDEX standing_by_sequence ON standing (seq_from, revision);
CREATE INDEX standing_by_scope ON standing (scope, reader_set, valid_from, valid_to)
    WHERE seq_to IS NULL AND status = 'live';
CREATE INDEX standing_by_start ON standing (valid_from) WHERE seq_to IS NULL;
CREATE INDEX standing_by_end ON standing (valid_to) WHERE seq_to IS NULL;
CREATE VIEW full_standing AS
    SELECT r.key, r.document, r.version, r.text_sha256, r.bytes_sha256, r.ingested_at, r.bucket,
           s.seq_from, s.seq_to, s.descriptor, s.scope, s.reader_set, s.valid_from, s.valid_to, s.superseded, s.status
    FROM standing AS s JOIN revision AS r ON r.key = s.revision;

-- Erased revisions whose words may still be in files of store or index: none, once an erasure is finished.
CREATE TABLE unfinished_erasure (
    revision INTEGER PRIMARY KEY REFERENCES revision
) STRICT;

-- What rests on a document.
CREATE INDEX packet_source_by_document ON packet_source (document, version);
