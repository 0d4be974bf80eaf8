"""`countersign review` against `git diff`, on generated repositories."""

import os
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
