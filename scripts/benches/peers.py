"""The same statements without us, and the disk without a database."""

import json
import os
import re
import sqlite3
import time

# Python's SQLite may be too old for unixepoch('subsec').
NOW = "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)"
EVENT = f"INSERT INTO task_events (task, at, kind, actor, token, detail) VALUES (?, {NOW}, ?, ?, ?, 'null')"
# As in claim.rs and finish.rs of the crate `store`.
CLAIM = f"""
    UPDATE tasks SET status = 'in_progress', lease_token = lease_token + 1, holder = :holder,
        claimed_at = {NOW}, lease_expires = {NOW} + 600000, updated_at = {NOW}
    WHERE seq = (
        SELECT t.seq FROM tasks t
        WHERE t.status = 'pending' AND t.blocked_by = 0 AND t.not_before <= {NOW} AND t.agent = :queue
            AND NOT EXISTS (SELECT 1 FROM paused_agents p WHERE p.agent IN (:queue, :holder))
        ORDER BY t.priority, t.seq LIMIT 1)
    RETURNING doc, cycle, status, holder, claimed_at, lease_expires, lease_token, reason, not_before, updated_at"""
LOCK = "SELECT t.seq, t.status, t.cycle, t.lease_token FROM tasks t WHERE t.id = ?"
FINISH = f"""
    UPDATE tasks SET status = 'completed', cycle = ?, reason = NULL, not_before = 0, holder = NULL,
        claimed_at = NULL, lease_expires = NULL, updated_at = {NOW} WHERE seq = ?"""
RELEASE = "UPDATE task_dependencies SET met = 1 WHERE depends_on = ? AND met = 0 RETURNING task"


def pgbench_script(sent):
    """Turns what the server was sent for one claim and one finish into a script that does the same to the next
    task. Every value stays a bound value: one that names the task comes from the claim, the others are given."""
    claim = next(n for n, (text, _) in enumerate(sent) if "SKIP LOCKED" in text)
    begin = claim - 1 if claim > 0 and sent[claim - 1][0] == "BEGIN" else claim
    claimed = next(values for text, values in sent[claim + 1 :] if "t.id = $1" in text)[1]
    lock = next(n for n, (text, _) in enumerate(sent) if n > claim and "t.id = $1" in text)
    finished = next(values for text, values in sent[lock + 1 :] if 1 in values)
    lines, given = [], {}
    for number, (text, values) in enumerate(sent[begin:], start=begin):
        text = " ".join(text.split())
        for position in sorted(values, reverse=True):
            text = text.replace(f"${position}", bound(number, position, values[position], claimed, finished[1], given))
        ending = {claim: "\\gset", lock: "\\gset lock_"}.get(number, ";")
        lines.append(f"{text} {ending}")
    return "\n".join(lines) + "\n", given


def bound(number, position, value, task, row, given):
    if value is None:
        return "NULL::text"
    if value == task:
        return "(:doc::json->>'id')"
    if value == row:
        return ":lock_seq::bigint"
    name = f"v{number}_{position}"
    given[name] = value
    return f":{name}::bigint" if re.fullmatch(r"-?\d+", value) else f":{name}::text"


def bare_sqlite(path, seconds):
    """Cycles per second of one process that sends the same statements with the same guarantees."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA busy_timeout = 30000")
    cycles, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        bare_cycle(connection)
        cycles += 1
    elapsed = time.perf_counter() - begun
    connection.close()
    return cycles / elapsed


def bare_cycle(connection):
    run = lambda sql, *values: connection.execute(sql, values).fetchall()
    run("BEGIN IMMEDIATE")
    row = connection.execute(CLAIM, {"queue": "qa", "holder": "bare"}).fetchall()[0]  # A trigger writes the event.
    task = json.loads(row[0])["id"]
    run("COMMIT")
    run("BEGIN IMMEDIATE")
    (seq, _, cycle, token) = run(LOCK, task)[0]
    run(FINISH, cycle, seq)
    run(EVENT, task, "completed", "bare", token)
    run(RELEASE, task)
    run("COMMIT")


def bare_claim_ms(path, times):
    """The claim alone, taken back each time: what it costs without the disk."""
    connection = sqlite3.connect(path, isolation_level=None)
    samples = []
    for _ in range(times):
        connection.execute("BEGIN IMMEDIATE")
        begun = time.perf_counter()
        connection.execute(CLAIM, {"queue": "qa", "holder": "bare"}).fetchall()
        samples.append((time.perf_counter() - begun) * 1e3)
        connection.execute("ROLLBACK")
    connection.close()
    return sorted(samples)[len(samples) // 2]


def syncs_per_second(folder, seconds):
    """How often a second the disk can be told to keep 8 KiB. A commit is at least one of these."""
    path = folder / "syncs"
    block = os.urandom(8192)
    with path.open("wb", buffering=0) as file:
        file.write(b"\0" * 8192 * 512)
        os.fsync(file.fileno())
        count, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            os.pwrite(file.fileno(), block, count % 512 * 8192)
            os.fdatasync(file.fileno())
            count += 1
        elapsed = time.perf_counter() - begun
    path.unlink()
    return count / elapsed


def copy_files(source, target):
    """Seconds that reading every file, parsing it and writing it under its id takes."""
    target.mkdir()
    begun = time.perf_counter()
    for path in source.iterdir():
        text = path.read_bytes()
        (target / f"{json.loads(text)['id']}.json").write_bytes(text)
    return time.perf_counter() - begun
