"""`countersign epic run` with builders and a test command that take no time.

What is measured is what the run itself adds: the time between calls for git, agents and tests, how long a state update takes
(store and epic-state.json, both on the disk), and how long it takes from a rejected review to its builder's process.
"""

import json
import os
import shutil
import subprocess
import time

from .place import BENCH, BINARY, build

GOAL_OVERHEAD_MS, GOAL_UPDATE_MS, GOAL_SPAWN_MS, GOAL_PLAN_S = 150, 10, 500, 1.0
PLANNED = 1000

BUILDER = """#!/bin/sh
prompt=$(cat)
id=$(printf '%s' "$prompt" | sed -n '1s/^Build ticket \\([^:]*\\):.*/\\1/p')
case "$prompt" in *'REVISION REQUIRED'*) echo 'def fine(): return 1' > "$id.py";; *) printf 'def %s():\\n    breakpoint()\\n' "$id" > "$id.py";; esac
"""


def run(tickets):
    build("--package", "countersign")
    folder = BENCH / "epic"
    for parallel in (1, 8):
        prepare(folder, tickets)
        times = folder.with_name("epic-times.jsonl")
        done = subprocess.run(
            [str(BINARY), "epic", "run", "epic.yaml", "--parallel", str(parallel), "--merge"],
            cwd=folder,
            env=environment() | {"COUNTERSIGN_TIMES": str(times)},
            capture_output=True,
        )
        if done.returncode != 0:
            raise SystemExit(f"the epic was not completed:\n{done.stderr.decode()[-2000:]}")
        report([json.loads(line) for line in times.read_text().splitlines()], tickets, parallel)
    plan(folder)


def report(calls, tickets, parallel):
    of = lambda *names: [call for call in calls if call["what"] in names]
    length = lambda call: (call["to"] - call["from"]) / 1e3
    saves = sorted(length(call) for call in of("save"))
    print(f"\nepic: {tickets} tickets, each revised once and merged, {parallel} at once")
    if parallel == 1:
        outer = of("base", "build", "validate", "review", "make_merge", "publish_merge")
        begun, ended = min(call["from"] for call in calls), max(call["to"] for call in calls)
        overhead = ((ended - begun) / 1e3 - union(outer)) / tickets
        row("overhead per ticket", f"{overhead:.1f} ms", f"under {GOAL_OVERHEAD_MS} ms", overhead < GOAL_OVERHEAD_MS)
        spawn = sorted(spawns(calls))
        worst = spawn[-1]
        row("spawn of a revision", f"{spawn[len(spawn) // 2]:.1f} ms, at most {worst:.1f}", f"under {GOAL_SPAWN_MS} ms", worst < GOAL_SPAWN_MS)
    p99 = saves[min(len(saves) - 1, len(saves) * 99 // 100)]
    row("state update", f"{saves[len(saves) // 2]:.2f} ms, p99 {p99:.2f}", f"p99 under {GOAL_UPDATE_MS} ms", p99 < GOAL_UPDATE_MS)


def union(calls):
    """Milliseconds in which at least one of them was under way."""
    total, until = 0, 0
    for call in sorted(calls, key=lambda call: call["from"]):
        start = max(call["from"], until)
        if call["to"] > start:
            total += call["to"] - start
            until = call["to"]
    return total / 1e3


def spawns(calls):
    """From the end of each review to the start of the builder's process that follows it."""
    builders = sorted(call["from"] for call in calls if call["what"] == "builder")
    ends = sorted(call["to"] for call in calls if call["what"] == "review")
    after = [(end, next((start for start in builders if start > end), None)) for end in ends]
    # With one at a time, what follows a first review is its revision.
    return [(start - end) / 1e3 for end, start in after[::2] if start is not None]


def plan(folder):
    prepare(folder, PLANNED)
    began = time.monotonic()
    subprocess.run([str(BINARY), "epic", "run", "epic.yaml", "--dry-run"], cwd=folder, env=environment(), check=True, capture_output=True)
    took = time.monotonic() - began
    print(f"\nepic: {PLANNED} tickets")
    row("planned", f"{took:.3f} s", f"under {GOAL_PLAN_S} s", took < GOAL_PLAN_S)


def prepare(folder, tickets):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    builder = folder.with_name("epic-builder")
    builder.write_text(BUILDER)
    builder.chmod(0o755)
    (folder / "countersign.yaml").write_text(
        f"agents:\n  - {{id: engineer, brain: command, command: ['{builder}']}}\nloop: {{test_command: 'true'}}\n"
    )
    lines = ["id: bench", "builder: engineer", "reviewer: rules", "tickets:"]
    for number in range(tickets):
        # Every third builds on the one before it.
        before = f"t{number - 1}" if number % 3 == 2 else ""
        lines.append(f"  - {{id: t{number}, path: t{number}.md, depends_on: [{before}]}}")
        (folder / f"t{number}.md").write_text(f"# Ticket {number}\n\n## Acceptance criteria\n\n- [ ] t{number} is there\n")
    (folder / "epic.yaml").write_text("\n".join(lines) + "\n")
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@localhost"]
    for command in (["init", "--quiet", "-b", "main"], ["add", "."], ["commit", "--quiet", "-m", "Start"]):
        subprocess.run([*git, *command], cwd=folder, env=environment(), check=True)


def environment():
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return keep | {"XDG_CACHE_HOME": str(BENCH / "epic-cache"), "GIT_CONFIG_NOSYSTEM": "1"}


def row(what, measured, goal, reached):
    print(f"{what:36} {measured:>30}   {goal:32} {'reached' if reached else 'MISSED'}")
