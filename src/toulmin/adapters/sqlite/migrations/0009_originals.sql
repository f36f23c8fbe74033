-- The bytes that a revision was read from, of what can be shown as pages. A revision of before this migration has none until its file is
-- ingested again. They stand apart: nobody who reads texts meets them, and they go with the text.
CREATE TABLE original (
    revision INTEGER PRIMARY KEY REFERENCES revision,
    bytes    BLOB NOT NULL
) STRICT;
