-- What was ingested, so that the same again is known before it is parsed.
CREATE TABLE input (
    revision INTEGER PRIMARY KEY REFERENCES revision,
    digest   TEXT NOT NULL
) STRICT;
CREATE INDEX input_by_digest ON input (digest);

-- The sequence number from which a revision's text is what it is: another parser may have read the same bytes again.
ALTER TABLE revision ADD COLUMN content_since INTEGER NOT NULL DEFAULT 0;
