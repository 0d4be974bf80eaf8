-- Tasks, their dependencies, and the log of what happened to them. Times are milliseconds since 1970.

CREATE TABLE tasks (
    -- Order of arrival: age for claims, position for lists.
    seq           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    -- However often it is added, there is one task with this key.
    once_key      TEXT UNIQUE,
    agent         TEXT NOT NULL,
    status        TEXT NOT NULL,
    priority      INTEGER NOT NULL,
    -- The document as it came; status and retry count are taken from here instead.
    doc           TEXT NOT NULL,
    -- The review cycle at rest: while somebody holds the task, as it was claimed.
    cycle         TEXT NOT NULL,
    -- Dependencies that have not completed. Only 0 can be claimed.
    blocked_by    INTEGER NOT NULL DEFAULT 0,
    not_before    INTEGER NOT NULL DEFAULT 0,
    -- Grows with every claim and never shrinks.
    lease_token   INTEGER NOT NULL DEFAULT 0,
    holder        TEXT,
    claimed_at    INTEGER,
    lease_expires INTEGER,
    reason        TEXT,
    updated_at    INTEGER NOT NULL
);

CREATE INDEX tasks_claimable ON tasks (agent, priority, seq) WHERE status = 'pending' AND blocked_by = 0;
CREATE INDEX tasks_leased ON tasks (lease_expires) WHERE status = 'in_progress';
CREATE INDEX tasks_by_status ON tasks (status, seq);
CREATE INDEX tasks_by_agent ON tasks (agent, seq);
CREATE INDEX tasks_by_agent_and_status ON tasks (agent, status, seq);

-- No foreign keys: a task may say that it blocks one that is yet to come.
CREATE TABLE task_dependencies (
    task       TEXT NOT NULL,
    depends_on TEXT NOT NULL,
    met        INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (task, depends_on)
) WITHOUT ROWID;

CREATE INDEX task_dependents ON task_dependencies (depends_on) WHERE met = 0;

-- The activity log. It is never changed.
CREATE TABLE task_events (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    task    TEXT,
    at      INTEGER NOT NULL,
    kind    TEXT NOT NULL,
    actor   TEXT NOT NULL,
    token   INTEGER,
    detail  TEXT NOT NULL
);

CREATE INDEX task_events_of ON task_events (task, seq);

-- Who has to hear of every event. One that has not been seen for a day is dropped.
CREATE TABLE outbox_readers (
    name      TEXT PRIMARY KEY,
    last_seen INTEGER NOT NULL
) WITHOUT ROWID;

-- What each reader has not acknowledged yet.
CREATE TABLE outbox (
    reader TEXT NOT NULL,
    seq    INTEGER NOT NULL,
    -- When it may be handed out next.
    due    INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (reader, seq)
) WITHOUT ROWID;

CREATE TRIGGER task_events_to_outbox AFTER INSERT ON task_events
BEGIN
    INSERT INTO outbox (reader, seq) SELECT name, NEW.seq FROM outbox_readers;
END;

CREATE TABLE paused_agents (
    agent TEXT PRIMARY KEY,
    since INTEGER NOT NULL,
    actor TEXT NOT NULL
) WITHOUT ROWID;
