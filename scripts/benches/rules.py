"""The built-in reviewer on changes of real syntax, against `git diff -M` of the same change."""

import json
import os
import resource
import shutil
import statistics
import subprocess
import time

from .code import generate
from .place import BENCH, BINARY, ENVIRONMENT, build
from .review import compare


def run(runs, keep):
    build("--bin", "countersign")
    place = BENCH / "rules"
    if not keep:
        shutil.rmtree(place, ignore_errors=True)
    usual, large = place / "usual", place / "large"
    if not usual.exists():
        generate(usual, files=400, changed=10)
    if not large.exists():
        generate(large, files=2600, changed=2600)
    diff = ["git", "diff", "-M", "main...topic"]
    ours = [str(BINARY), "review", "--base", "main", "--head", "topic", "--format", "json"]
    for name, folder in (("usual change", usual), ("large change", large)):
        patch = subprocess.run(diff, cwd=folder, env=ENVIRONMENT, capture_output=True, check=True).stdout
        report = json.loads(subprocess.run(ours, cwd=folder, env=ENVIRONMENT, capture_output=True).stdout)
        files = patch.count(b"\ndiff --git ") + 1
        print(f"{name}: {files} files, {patch.count(bytes([10]))} patch lines, {seen(report)}")
    print(f"{'case':34} {'git':>9} {'ours':>9} {'ratio':>6} {'more':>9} {'git peak':>9} {'our peak':>9}")
    compare("usual change against git diff -M", usual, diff, ours, runs)
    compare("large change against git diff -M", large, diff, ours, max(5, runs // 3))
    print(f"cores busy on the large change: {busy(ours, large):.2f} of {os.cpu_count()}")


def seen(report):
    coverage = (report.get("countersign") or report).get("coverage") or {}
    files = coverage.get("files", [])
    whole = sum(all(hunk.get("seen_by") for hunk in file["hunks"]) for file in files)
    return f"{len(report.get('findings', []))} findings, {whole} of {len(files)} files seen whole"


def busy(command, folder):
    """Processor time of the command and its children per second on the clock, median of five."""
    samples = []
    for _ in range(5):
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        elapsed, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        samples.append(spent / elapsed)
    return statistics.median(samples)
