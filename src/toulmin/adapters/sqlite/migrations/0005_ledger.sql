-- The ledger: rows that are only ever added, in order. Digests and instants are the texts that are chained (docs/reference/ledger.md).
CREATE TABLE ledger_entry (
    sequence INTEGER PRIMARY KEY,
    at       TEXT NOT NULL,
    kind     TEXT NOT NULL,
    actor    TEXT NOT NULL,
    facts    TEXT NOT NULL  -- canonical JSON
) STRICT;
CREATE INDEX ledger_entry_by_kind ON ledger_entry (kind, sequence);

-- The chain, as far as it is sealed.
CREATE TABLE ledger_link (
    sequence INTEGER PRIMARY KEY REFERENCES ledger_entry,
    digest   TEXT NOT NULL
) STRICT;
CREATE TABLE ledger_checkpoint (
    sequence  INTEGER PRIMARY KEY REFERENCES ledger_link,
    link      TEXT NOT NULL,
    at        TEXT NOT NULL,
    previous  TEXT NOT NULL,
    key       TEXT NOT NULL,
    signature TEXT NOT NULL
) STRICT;

-- INSERT OR REPLACE deletes without firing a trigger on DELETE: what refuses it is that a new row comes after all others.
CREATE TRIGGER ledger_entry_comes_next BEFORE INSERT ON ledger_entry
    WHEN NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM ledger_entry)
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entry_stays BEFORE UPDATE ON ledger_entry
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_entry_remains BEFORE DELETE ON ledger_entry
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ledger_link_comes_next BEFORE INSERT ON ledger_link
    WHEN NEW.sequence <> (SELECT coalesce(max(sequence), 0) + 1 FROM ledger_link)
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_link_stays BEFORE UPDATE ON ledger_link
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_link_remains BEFORE DELETE ON ledger_link
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ledger_checkpoint_comes_next BEFORE INSERT ON ledger_checkpoint
    WHEN NEW.sequence <= (SELECT coalesce(max(sequence), 0) FROM ledger_checkpoint)
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_checkpoint_stays BEFORE UPDATE ON ledger_checkpoint
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_checkpoint_remains BEFORE DELETE ON ledger_checkpoint
    BEGIN SELECT raise(ABORT, 'the ledger is append-only'); END;
