-- Assignments and the verdicts on them. Their events go into the log that tasks have, and so into the outbox.

CREATE TABLE task_assignments (
    id              BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    -- The task it belongs to, if it belongs to one.
    task            TEXT COLLATE "C",
    title           TEXT NOT NULL,
    description     TEXT NOT NULL,
    -- The coder.
    agent           TEXT NOT NULL,
    -- Who is to review it, if somebody was named.
    reviewer        TEXT,
    branch_name     TEXT,
    base            TEXT,
    base_commit     TEXT,
    -- What was submitted last.
    head_commit     TEXT,
    -- These two are read off the cycle, for whoever looks with SQL and for the indexes.
    status          TEXT NOT NULL,
    review_attempt  BIGINT NOT NULL,
    review_feedback TEXT,
    -- A JSON list of names.
    rejected_by     TEXT NOT NULL,
    submissions     BIGINT NOT NULL,
    -- A JSON object.
    context         TEXT NOT NULL,
    -- Where it stands in the review cycle.
    cycle           TEXT NOT NULL,
    created_by      TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    accepted_at     BIGINT,
    started_at      BIGINT,
    -- Cleared when it is sent back.
    completed_at    BIGINT,
    reviewed_at     BIGINT,
    updated_at      BIGINT NOT NULL
);

CREATE INDEX task_assignments_by_status ON task_assignments (status, id);
CREATE INDEX task_assignments_by_agent ON task_assignments (agent, id);
CREATE INDEX task_assignments_by_agent_and_status ON task_assignments (agent, status, id);
CREATE INDEX task_assignments_submitted ON task_assignments (completed_at, id) WHERE status = 'completed';

-- Every verdict. It is never changed.
CREATE TABLE assignment_reviews (
    seq         BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    assignment  BIGINT NOT NULL,
    attempt     BIGINT NOT NULL,
    reviewer    TEXT NOT NULL,
    -- What the reviewer was: an agent or a person.
    role        TEXT NOT NULL,
    coder       TEXT NOT NULL,
    head_commit TEXT,
    outcome     TEXT NOT NULL,
    -- What became of the assignment.
    status      TEXT NOT NULL,
    feedback    TEXT,
    at          BIGINT NOT NULL
);

CREATE INDEX assignment_reviews_of ON assignment_reviews (assignment, seq);
CREATE INDEX assignment_reviews_lately ON assignment_reviews (at);
-- An attempt has one verdict, whatever else goes wrong.
CREATE UNIQUE INDEX assignment_reviews_once ON assignment_reviews (assignment, attempt)
    WHERE outcome <> 'inconclusive';

ALTER TABLE task_events ADD COLUMN assignment BIGINT;
CREATE INDEX task_events_of_assignment ON task_events (assignment, seq) WHERE assignment IS NOT NULL;
