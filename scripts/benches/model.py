"""`countersign review --reviewer model` on a change of 5,000 lines, against a model that answers at once.

What is measured is our own part: reading the change, the built-in rules, packing, counting tokens, sending and judging.
The model is a server in this process that speaks Anthropic's format, says "nothing found" and notes how long it took.
"""

import json
import os
import statistics
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import code, review
from .place import BENCH, BINARY

FILES, BODIES = 105, (1, 4, 8, 12)
CONTEXT, OUTPUT = 32_000, 8_000
GOAL_MS, GOAL_MB = 300, 60


def run(runs):
    folder = BENCH / "model"
    if not folder.exists():
        code.generate(folder, files=FILES, changed=FILES, bodies=BODIES)
    with Model() as model:
        measure(folder, model, runs)


def measure(folder, model, runs):
    command = [str(BINARY), "review", "--base", "main", "--head", "topic", "--reviewer", "model", "--format", "json"]
    changed = changed_lines(folder)
    tokens, calls, report = count_tokens(command, folder, model)
    hunks = [hunk for file in report["countersign"]["coverage"]["files"] for hunk in file["hunks"]]
    seen = sum(1 for hunk in hunks if hunk["seen_by"])
    samples = {"own": [], "model": [], "git": [], "cpu": []}
    diff = ["git", "diff", "-M", "main...topic"]
    for number in range(runs + 1):
        git = review.seconds(diff, folder)
        model.busy.clear()
        wall, cpu = seconds(command, folder, model)
        theirs = together(model.busy)
        if number > 0:  # The first round warms the caches.
            for key, sample in (("git", git), ("model", theirs), ("own", wall - theirs), ("cpu", cpu)):
                samples[key].append(sample * 1e3)
    git, theirs, own, cpu = (statistics.median(samples[key]) for key in ("git", "model", "own", "cpu"))
    peaks = sorted(review.peak(command, folder, environment(model)) / 1e3 for _ in range(3))
    rules = sorted(review.peak(command[:6] + command[8:], folder) / 1e3 for _ in range(3))
    print(f"\nreview by a model: {FILES} files, {len(hunks)} hunks, {changed} changed lines; {runs} runs; medians")
    row("hunks covered at 32k tokens a call", f"{seen} of {len(hunks)} in {calls} calls", "all, in several", seen == len(hunks) and calls > 1)
    row("prompt tokens per changed line", f"{tokens / changed:.1f}", f"{tokens:,} in all", None)
    row("our own time", f"{own:.0f} ms", f"under {GOAL_MS} ms", own < GOAL_MS)
    row("processor time", f"{cpu:.0f} ms", "of all threads and of the git processes", None)
    row("the model's time", f"{theirs:.1f} ms", f"ours is {own / git:.1f}x of git diff -M ({git:.0f} ms)", None)
    row("our peak memory", f"{peaks[1]:.1f} MB", f"under {GOAL_MB} MB", peaks[1] < GOAL_MB)
    row("of the rules alone", f"{rules[1]:.1f} MB", f"the model's part is {peaks[1] - rules[1]:.1f} MB", None)


def row(what, measured, goal, reached):
    verdict = {True: "reached", False: "MISSED", None: ""}[reached]
    print(f"{what:36} {measured:>26}   {goal:44} {verdict}")


def changed_lines(folder):
    """Added and removed, as git counts them."""
    command = ["git", "diff", "-M", "--numstat", "main...topic"]
    printed = subprocess.run(command, cwd=folder, env=review.ENVIRONMENT, capture_output=True, check=True).stdout
    return sum(int(count) for line in printed.decode().splitlines() for count in line.split("\t")[:2])


def count_tokens(command, folder, model):
    """By our own count: what is set aside in the ledger before each call is the question and the longest answer."""
    state = folder.parent / "state"
    ledger = state / "countersign" / "ledger"
    for old in ledger.glob("*.jsonl") if ledger.exists() else []:
        old.unlink()
    more = {"COUNTERSIGN_MODEL_BUDGET_TOKENS_PER_DAY": "1000000000", "XDG_STATE_HOME": str(state)}
    done = subprocess.run(command, cwd=folder, env=environment(model) | more, capture_output=True)
    if done.returncode not in (0, 1):
        sys.exit(f"the review by a model exited with {done.returncode}: {done.stderr.decode()}")
    lines = [json.loads(line) for file in ledger.glob("day-*.jsonl") for line in file.read_text().splitlines()]
    reserved = [line["tokens"] for line in lines if line["what"] == "reserved"]
    return sum(reserved) - len(reserved) * OUTPUT, len(reserved), json.loads(done.stdout)


def environment(model):
    return review.ENVIRONMENT | {
        "CODE_REVIEW_LLM_MODEL_PRIORITY": "anthropic:instant",
        "ANTHROPIC_API_KEY": "sk-bench",
        "ANTHROPIC_BASE_URL": model.url,
        "COUNTERSIGN_MODEL_CACHE": "false",
        "COUNTERSIGN_MODEL_CONTEXT_TOKENS": str(CONTEXT),
        "COUNTERSIGN_MODEL_OUTPUT_TOKENS": str(OUTPUT),
    }


def seconds(command, folder, model):
    """On the clock, and of processors: the second does not depend on who else is at work."""
    began = time.perf_counter()
    child = subprocess.Popen(command, cwd=folder, env=environment(model), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} exited with {child.returncode}")
    return elapsed, usage.ru_utime + usage.ru_stime


def together(busy):
    """How long at least one call was being answered."""
    total, until = 0.0, 0.0
    for began, ended in sorted(busy):
        total += max(0.0, ended - max(began, until))
        until = max(until, ended)
    return total


def event(kind, **fields):
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **fields})}\n\n"


def answer():
    report = {"summary": "Nothing found.", "findings": [], "dimension_scores": None, "verdict": "pass"}
    message = {
        "id": "msg_bench", "type": "message", "role": "assistant", "model": "instant", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    return "".join([
        event("message_start", message=message),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": json.dumps(report)}),
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None}, usage={"output_tokens": 0}),
        event("message_stop"),
    ]).encode()


class Model:
    """Listens on a free port of this machine for as long as it is entered."""

    def __enter__(self):
        self.busy, body = [], answer()
        busy = self.busy

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                began = time.perf_counter()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                self.wfile.flush()
                busy.append((began, time.perf_counter()))

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
