-- Age is what the task says of itself, not when it came in: a file may have lain there for a while. Milliseconds since
-- 1970; tasks that were there before this column are older than all others.
ALTER TABLE tasks ADD COLUMN created INTEGER NOT NULL DEFAULT 0;

DROP INDEX tasks_claimable;
CREATE INDEX tasks_claimable ON tasks (agent, priority, created, seq) WHERE status = 'pending' AND blocked_by = 0;
