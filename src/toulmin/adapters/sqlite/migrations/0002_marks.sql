-- A mark for every change, drawn at random: it tells this store's history from that of another one, and from what was before a restore.
CREATE TABLE change (
    sequence INTEGER PRIMARY KEY,
    mark     INTEGER NOT NULL  -- 62 random bits
) STRICT;
INSERT INTO change (sequence, mark)
    SELECT seq_from, random() & 0x3fffffffffffffff FROM (SELECT DISTINCT seq_from FROM standing);
