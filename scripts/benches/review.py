"""`countersign review` against `git diff`, on generated repositories."""

import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from . import code
from .place import BENCH, BINARY, ENVIRONMENT, build


def run(runs, keep):
    build("--bin", "countersign")
    if not keep:
        shutil.rmtree(BENCH, ignore_errors=True)
    BENCH.mkdir(parents=True, exist_ok=True)
    review(runs)


def review(runs):
    small, large = BENCH / "small", BENCH / "large"
    if not small.exists():
        code.generate(small, files=40, changed=1)
    if not large.exists():
        code.generate(large, files=2600, changed=2600)
    lines = subprocess.run(
        ["git", "diff", "-M", "main...topic"], cwd=large, env=ENVIRONMENT, capture_output=True, check=True
    ).stdout.count(b"\n")
    print(f"large change: 2600 files, {lines} patch lines; {runs} runs each, run alternately; medians")
    print(f"binary size: {BINARY.stat().st_size / 1e6:.1f} MB")
    ours = [str(BINARY), "review", "--base", "main", "--head", "topic", "--format", "json"]
    diff = ["git", "diff", "-M", "main...topic"]
    print(f"{'case':34} {'git':>9} {'ours':>9} {'ratio':>6} {'more':>9} {'git peak':>9} {'our peak':>9}")
    compare("--version against git --version", small, ["git", "--version"], [str(BINARY), "--version"], runs)
    empty = [str(BINARY), "review", "--base", "main", "--head", "main"]
    compare("empty review against git diff", small, ["git", "diff", "-M", "main...main"], empty, runs)
    compare("one file against git diff -M", small, diff, ours, runs)
    compare("large change against git diff -M", large, diff, ours, max(5, runs // 3))
    compare("large change, pretty", large, diff, ours[:-1] + ["pretty"], max(5, runs // 3))


def compare(name, folder, theirs, ours, runs):
    measured = {"git": [], "ours": []}
    peaks = [peak(command, folder) for command in (theirs, ours)]
    for run in range(runs + 1):
        for key, command in (("git", theirs), ("ours", ours)):
            sample = seconds(command, folder)
            if run > 0:  # The first round warms the caches.
                measured[key].append(sample)
    git, our = (statistics.median(measured[key]) for key in ("git", "ours"))
    print(
        f"{name:34} {git * 1e3:6.1f} ms {our * 1e3:6.1f} ms {our / git:5.2f}x {(our - git) * 1e3:6.1f} ms "
        f"{peaks[0] / 1e3:6.1f} MB {peaks[1] / 1e3:6.1f} MB"
    )


def start(command, folder, environment=ENVIRONMENT):
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)


def seconds(command, folder):
    began = time.perf_counter()
    exit_code = start(command, folder).wait()
    elapsed = time.perf_counter() - began
    if exit_code not in (0, 1):
        sys.exit(f"{' '.join(command)} exited with {exit_code}")
    return elapsed


def peak(command, folder, environment=ENVIRONMENT):
    """Peak resident memory in KiB of the process itself, read while it runs; 0 if it was too quick to see.

    Not `ru_maxrss`: that includes what this program had in use when it started the other.
    """
    child, highest = start(command, folder, environment), 0
    while child.poll() is None:
        try:
            status = Path(f"/proc/{child.pid}/status").read_text()
            highest = max(highest, int(status.split("VmHWM:")[1].split()[0]))
        except (OSError, IndexError):
            pass
    return highest


def generate(folder, files, hunks, changed):
    """A repository of lines that look like source, and a branch that edits `changed` of its files in `hunks` places."""
    rng = random.Random(1)
    folder.mkdir(parents=True)
    git = lambda *words, **more: subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, check=True, **more)
    git("init", "--quiet", "--initial-branch=main")
    endings = ["rs", "py", "ts", "go", "java"]
    # Like real ones, every tenth file is a test.
    folder_of = lambda n: "tests" if n % 10 == 9 else "src"
    paths = [f"{folder_of(n)}/part{n % 53}/module{n}.{endings[n % 5]}" for n in range(files)]
    before = {path: source(rng, 180, path) for path in paths}
    after = {path: edit(rng, before[path], hunks) for path in paths[:changed]}
    stream = bytearray()
    for branch, contents in (("main", before), ("topic", after)):
        stream += f"commit refs/heads/{branch}\ncommitter Bench <bench@example.com> 1700000000 +0000\n".encode()
        stream += f"data {len(branch)}\n{branch}\n".encode()
        stream += b"from refs/heads/main\n" if branch == "topic" else b""
        for path, lines in contents.items():
            blob = ("\n".join(lines) + "\n").encode()
            stream += f"M 100644 inline {path}\ndata {len(blob)}\n".encode() + blob + b"\n"
    git("fast-import", "--quiet", input=bytes(stream))
    git("checkout", "--quiet", "topic")


def source(rng, count, path):
    words = ["account", "order", "total", "index", "result", "buffer", "request", "value", "status", "limit"]
    line = lambda n: f"    let {rng.choice(words)}_{n} = {rng.choice(words)}({rng.randrange(1000)}, {rng.choice(words)});"
    return [f"// {path}"] + [line(n) if n % 9 else f"fn {rng.choice(words)}_{n}() {{" for n in range(count)]


def edit(rng, lines, hunks):
    """Replaces two lines by six in `hunks` places far enough apart to stay separate hunks."""
    edited = list(lines)
    step = len(lines) // hunks
    for number in reversed(range(hunks)):
        at = number * step + rng.randrange(8, max(9, step - 10))
        edited[at : at + 2] = [f"    let added_{number}_{n} = compute({rng.randrange(10**6)}, limit);" for n in range(6)]
    return edited
