-- Runs of epics and their tickets. Their events go into the log that tasks have, and so into the outbox.

CREATE TABLE epics (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Whose epic it is: where the repository keeps what its worktrees share.
    repository  TEXT NOT NULL,
    id          TEXT NOT NULL,
    -- Grows each time somebody takes the run; whoever has an older one can change nothing.
    token       INTEGER NOT NULL,
    -- A JSON object.
    doc         TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    UNIQUE (repository, id)
);

CREATE INDEX epics_lately ON epics (repository, updated_at);

CREATE TABLE epic_tickets (
    epic        INTEGER NOT NULL,
    id          TEXT NOT NULL,
    -- Its place in the epic.
    position    INTEGER NOT NULL,
    -- Grows with each change.
    version     INTEGER NOT NULL,
    -- Read off the cycle, for whoever looks with SQL.
    status      TEXT NOT NULL,
    -- A JSON object.
    doc         TEXT NOT NULL,
    updated_at  INTEGER NOT NULL,
    PRIMARY KEY (epic, id)
);

CREATE INDEX epic_tickets_failed ON epic_tickets (updated_at) WHERE status = 'failed';

ALTER TABLE task_events ADD COLUMN epic INTEGER;
CREATE INDEX task_events_of_epic ON task_events (epic, seq) WHERE epic IS NOT NULL;
