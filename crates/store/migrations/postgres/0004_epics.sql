-- Runs of epics and their tickets. Their events go into the log that tasks have, and so into the outbox.

CREATE TABLE epics (
    number      BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    -- Whose epic it is: where the repository keeps what its worktrees share.
    repository  TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    -- Grows each time somebody takes the run; whoever has an older one can change nothing.
    token       BIGINT NOT NULL,
    -- A JSON object.
    doc         TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    UNIQUE (repository, id)
);

CREATE INDEX epics_lately ON epics (repository, updated_at);

CREATE TABLE epic_tickets (
    epic        BIGINT NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    -- Its place in the epic.
    position    BIGINT NOT NULL,
    -- Grows with each change.
    version     BIGINT NOT NULL,
    -- Read off the cycle, for whoever looks with SQL.
    status      TEXT NOT NULL,
    -- A JSON object.
    doc         TEXT NOT NULL,
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (epic, id)
);

CREATE INDEX epic_tickets_failed ON epic_tickets (updated_at) WHERE status = 'failed';

ALTER TABLE task_events ADD COLUMN epic BIGINT;
CREATE INDEX task_events_of_epic ON task_events (epic, seq) WHERE epic IS NOT NULL;
