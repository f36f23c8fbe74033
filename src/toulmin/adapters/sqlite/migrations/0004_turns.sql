-- When revisions come into force and go out of it: how long a count of what is in force holds.
CREATE INDEX standing_by_start ON standing (valid_from) WHERE seq_to IS NULL;
CREATE INDEX standing_by_end ON standing (valid_to) WHERE seq_to IS NULL;
