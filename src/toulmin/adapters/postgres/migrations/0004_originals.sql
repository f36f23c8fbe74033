-- The bytes that a revision was read from: the same table as in SQLite, and who may read it.
CREATE TABLE original (
    revision bigint PRIMARY KEY REFERENCES revision,
    bytes    bytea NOT NULL
);
ALTER TABLE original ALTER COLUMN bytes SET STORAGE EXTERNAL;  -- such files are compressed already

ALTER TABLE original ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, UPDATE, DELETE ON original TO toulmin_worker;
CREATE POLICY worker ON original TO toulmin_worker USING (true) WITH CHECK (true);
GRANT SELECT ON original TO toulmin_app;
CREATE POLICY app ON original FOR SELECT TO toulmin_app USING (
    EXISTS (SELECT 1 FROM standing AS now WHERE now.revision = original.revision AND now.seq_to IS NULL));
