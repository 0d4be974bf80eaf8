-- A claim is one statement. Its event cannot be written by the same one as on PostgreSQL, so the schema does it.
CREATE TRIGGER IF NOT EXISTS tasks_claimed AFTER UPDATE OF lease_token ON tasks WHEN NEW.lease_token > OLD.lease_token
BEGIN
    INSERT INTO task_events (task, at, kind, actor, token, detail)
    VALUES (NEW.id, NEW.claimed_at, 'claimed', NEW.holder, NEW.lease_token, 'null');
END;
