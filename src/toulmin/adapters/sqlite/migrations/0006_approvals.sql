-- Approvals, and the steps that became of them. What was requested and every step stay as they were written.
CREATE TABLE approval (
    key        INTEGER PRIMARY KEY,
    id         TEXT NOT NULL UNIQUE,
    operation  TEXT NOT NULL,  -- op-..., the digest of the columns from name to answer
    packet     INTEGER NOT NULL REFERENCES packet,
    name       TEXT NOT NULL,
    params     TEXT NOT NULL,  -- canonical JSON
    instance   TEXT NOT NULL,
    evidence   TEXT NOT NULL,
    policy     TEXT NOT NULL,
    answer     TEXT NOT NULL,  -- sha256
    requester  TEXT NOT NULL,  -- the principal, as JSON
    expires_at INTEGER NOT NULL,
    state      TEXT NOT NULL,  -- that of the last step
    steps      INTEGER NOT NULL
) STRICT;

-- At most one approval may ever have carried an operation out, or may yet: so it has at most one effect.
CREATE UNIQUE INDEX approval_holding ON approval (operation)
    WHERE state NOT IN ('rejected', 'revoked', 'expired', 'stale');
CREATE INDEX approval_of_packet ON approval (packet);

CREATE TABLE approval_step (
    approval INTEGER NOT NULL REFERENCES approval,
    number   INTEGER NOT NULL,  -- counted from 1
    state    TEXT NOT NULL,
    at       INTEGER NOT NULL,
    person   TEXT,              -- JSON: id, tenant, digest
    comment  TEXT,
    says     TEXT NOT NULL,     -- JSON array
    lease    TEXT,              -- JSON: host, process, until
    code     TEXT,
    PRIMARY KEY (approval, number)
) STRICT, WITHOUT ROWID;

-- What an effect said. It may repeat words of an answer, and so stands apart: erasing it leaves the step.
CREATE TABLE approval_output (
    approval INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    text     TEXT NOT NULL,
    PRIMARY KEY (approval, number),
    FOREIGN KEY (approval, number) REFERENCES approval_step
) STRICT, WITHOUT ROWID;

CREATE TRIGGER approval_stays
    BEFORE UPDATE OF key, id, operation, packet, name, params, instance, evidence, policy, answer, requester, expires_at ON approval
    BEGIN SELECT raise(ABORT, 'what was requested is not changed'); END;
CREATE TRIGGER approval_remains BEFORE DELETE ON approval
    BEGIN SELECT raise(ABORT, 'approvals are append-only'); END;

-- INSERT OR REPLACE deletes without firing a trigger on DELETE: what refuses it is that a new step comes after all others.
CREATE TRIGGER approval_step_comes_next BEFORE INSERT ON approval_step
    WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM approval_step WHERE approval = NEW.approval)
    BEGIN SELECT raise(ABORT, 'approvals are append-only'); END;
CREATE TRIGGER approval_step_stays BEFORE UPDATE ON approval_step
    BEGIN SELECT raise(ABORT, 'approvals are append-only'); END;
CREATE TRIGGER approval_step_remains BEFORE DELETE ON approval_step
    BEGIN SELECT raise(ABORT, 'approvals are append-only'); END;
