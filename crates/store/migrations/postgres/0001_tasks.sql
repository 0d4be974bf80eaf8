-- Tasks, their dependencies, and the log of what happened to them. Times are milliseconds since 1970.

CREATE TABLE tasks (
    -- Order of arrival: age for claims, position for lists.
    seq           BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    -- Ids are ordered by their bytes everywhere: rows are locked in that order.
    id            TEXT COLLATE "C" NOT NULL UNIQUE,
    -- However often it is added, there is one task with this key.
    once_key      TEXT UNIQUE,
    agent         TEXT NOT NULL,
    status        TEXT NOT NULL,
    priority      BIGINT NOT NULL,
    -- The document as it came; status and retry count are taken from here instead.
    doc           TEXT NOT NULL,
    -- The review cycle at rest: while somebody holds the task, as it was claimed.
    cycle         TEXT NOT NULL,
    -- Dependencies that have not completed. Only 0 can be claimed.
    blocked_by    BIGINT NOT NULL DEFAULT 0,
    not_before    BIGINT NOT NULL DEFAULT 0,
    -- Grows with every claim and never shrinks.
    lease_token   BIGINT NOT NULL DEFAULT 0,
    holder        TEXT,
    claimed_at    BIGINT,
    lease_expires BIGINT,
    reason        TEXT,
    updated_at    BIGINT NOT NULL
)
-- Tasks change often and stay long: do not wait for a fifth of them to be dead before cleaning up.
WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);

-- The claim has to take this one even while statistics say that nothing is pending, as they do whenever they
-- were gathered in a quiet hour. So there is no smaller index that could find pending tasks: the server would
-- take that and sort all of them.
CREATE INDEX tasks_claimable ON tasks (agent, priority, seq) WHERE status = 'pending' AND blocked_by = 0;
CREATE INDEX tasks_leased ON tasks (lease_expires) WHERE status = 'in_progress';
CREATE INDEX tasks_by_status ON tasks (status, seq);
CREATE INDEX tasks_by_agent ON tasks (agent, seq);
CREATE INDEX tasks_by_agent_and_status ON tasks (agent, status, seq);

-- No foreign keys: a task may say that it blocks one that is yet to come.
CREATE TABLE task_dependencies (
    task       TEXT COLLATE "C" NOT NULL,
    depends_on TEXT COLLATE "C" NOT NULL,
    met        BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (task, depends_on)
);

CREATE INDEX task_dependents ON task_dependencies (depends_on) WHERE met = 0;

-- The activity log. It is never changed.
CREATE TABLE task_events (
    seq     BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    task    TEXT COLLATE "C",
    at      BIGINT NOT NULL,
    kind    TEXT NOT NULL,
    actor   TEXT NOT NULL,
    token   BIGINT,
    detail  TEXT NOT NULL
);

CREATE INDEX task_events_of ON task_events (task, seq);

-- Who has to hear of every event. One that has not been seen for a day is dropped.
CREATE TABLE outbox_readers (
    name      TEXT COLLATE "C" PRIMARY KEY,
    last_seen BIGINT NOT NULL
);

-- What each reader has not acknowledged yet. Rows come and go: there is room to change them in place, and
-- what is dead is cleaned up soon.
CREATE TABLE outbox (
    reader TEXT COLLATE "C" NOT NULL,
    seq    BIGINT NOT NULL,
    -- When it may be handed out next.
    due    BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (reader, seq)
)
WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01);

CREATE FUNCTION countersign_fill_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO outbox (reader, seq) SELECT name, NEW.seq FROM outbox_readers;
    RETURN NULL;
END
$$;

CREATE TRIGGER task_events_to_outbox AFTER INSERT ON task_events
    FOR EACH ROW EXECUTE FUNCTION countersign_fill_outbox();

CREATE TABLE paused_agents (
    agent TEXT PRIMARY KEY,
    since BIGINT NOT NULL,
    actor TEXT NOT NULL
);

-- The store's clock. Not the time at which the transaction began: a lease must not be dated back.
CREATE FUNCTION countersign_now() RETURNS BIGINT LANGUAGE sql VOLATILE
    AS 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
