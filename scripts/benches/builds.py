"""A clean release build of two commits in turns: time, the longest units, sizes, and whether the reports are the same."""

import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from .place import ENVIRONMENT, ROOT

FORMATS = ["json", "pretty", "sarif", "markdown", "rdjson", "github"]
SECTIONS = [".text", ".rodata", ".eh_frame", ".gcc_except_table"]
# What differs between two runs of one binary, and the version.
CHANGING = [
    re.compile(rb'"(reviewed_at|endTimeUtc|startTimeUtc|duration_ms|semanticVersion)": *("[^"]*"|\d+)'),
    re.compile(rb", in [\d.,]+ m?s\."),
]


class Build:
    """One commit, its sources and its clean target directory."""

    def __init__(self, name, revision, folder):
        commit = subprocess.run(
            ["git", "rev-parse", "--verify", "--short=10", revision + "^{commit}"],
            cwd=ROOT, capture_output=True, text=True,
        )
        if commit.returncode != 0:
            sys.exit(f"scripts/bench: `{revision}` names no commit here")
        self.name, self.commit = name, commit.stdout.strip()
        self.sources, self.target = folder / name / "sources", folder / name / "target"
        self.binary = self.target / "release" / "countersign"
        self.seconds, self.processor = [], []

    def check_out(self):
        run(["git", "clone", "--quiet", "--shared", "--no-checkout", str(ROOT), str(self.sources)])
        run(["git", "checkout", "--quiet", "--detach", self.commit], cwd=self.sources)
        run(["cargo", "fetch", "--locked", "--quiet"], cwd=self.sources)

    def build(self):
        """What the first command of the README compiles."""
        shutil.rmtree(self.target, ignore_errors=True)
        spent, began = children_seconds(), time.perf_counter()
        run(
            ["cargo", "build", "--release", "--locked", "--quiet", "--timings", "--bin", "countersign"],
            cwd=self.sources, env=dict(os.environ, CARGO_TARGET_DIR=str(self.target)),
        )
        self.seconds.append(time.perf_counter() - began)
        self.processor.append(children_seconds() - spent)

    def units(self):
        page = (self.target / "cargo-timings" / "cargo-timing.html").read_text()
        return json.loads(re.search(r"const UNIT_DATA = (\[.*?\]);\n", page, re.S).group(1))

    def sections(self):
        listing = subprocess.run(["size", "-A", str(self.binary)], capture_output=True, text=True, check=True).stdout
        sizes = {line.split()[0]: int(line.split()[1]) for line in listing.splitlines() if line.startswith(".")}
        return {name: sizes.get(name, 0) for name in SECTIONS}

    def start(self):
        """Milliseconds that `--version` takes."""
        began = time.perf_counter()
        run([str(self.binary), "--version"], stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        return (time.perf_counter() - began) * 1e3


def run(command, **options):
    if subprocess.run(command, **options).returncode != 0:
        sys.exit(f"scripts/bench: failed: {' '.join(command)}")


def children_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(before, after, rounds, reviews):
    # Not under this repository: its settings of cargo would hold for both.
    with tempfile.TemporaryDirectory(prefix="countersign-builds-") as folder:
        compare([Build("before", before, Path(folder)), Build("after", after, Path(folder))], rounds, reviews)


def compare(builds, rounds, reviews):
    for build in builds:
        build.check_out()
    for number in range(rounds):
        for build in builds:
            print(f"round {number + 1} of {rounds}: {build.name}, {build.commit}", file=sys.stderr, flush=True)
            build.build()
    show_times(builds)
    show_units(builds)
    if not same_reports(builds, reviews):
        sys.exit(1)


def show_times(builds):
    starts = {build.name: [] for build in builds}
    for _ in range(21):
        for build in builds:
            starts[build.name].append(build.start())
    rows = [
        ("clean build, s", [statistics.median(build.seconds) for build in builds]),
        ("processor time, s", [statistics.median(build.processor) for build in builds]),
        ("units", [len(build.units()) for build in builds]),
        ("unit-seconds", [sum(unit["duration"] for unit in build.units()) for build in builds]),
        ("`--version`, ms", [statistics.median(starts[build.name]) for build in builds]),
        ("binary, MB", [build.binary.stat().st_size / 1e6 for build in builds]),
    ]
    sections = [build.sections() for build in builds]
    rows += [(f"{name}, MB", [each[name] / 1e6 for each in sections]) for name in SECTIONS]
    print(f"\n{'':22} {builds[0].commit:>11} {builds[1].commit:>11} {'ratio':>6}")
    for name, (old, new) in rows:
        print(f"{name:22} {old:11.1f} {new:11.1f} {new / old:5.2f}x")


def show_units(builds):
    for build in builds:
        print(f"\nlongest units, {build.name}:")
        for unit in sorted(build.units(), key=lambda unit: -unit["duration"])[:20]:
            what = f"{unit['name']} {unit['version']}{unit['target']}"
            print(f"{unit['duration']:7.1f} s, from {unit['start']:6.1f} s  {what}")


def same_reports(builds, reviews):
    """The newest commits before the change, reviewed by both in every format."""
    listed = subprocess.run(
        ["git", "rev-list", "--no-merges", "--min-parents=1", f"--max-count={reviews}", builds[0].commit],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()
    differing = []
    for commit in listed:
        for form in FORMATS:
            old, new = (report(build.binary, commit, form) for build in builds)
            if old != new:
                differing.append(f"{commit[:10]} {form}")
    total = len(listed) * len(FORMATS)
    print(f"\nreports: {total - len(differing)} of {total} the same ({len(listed)} commits, {len(FORMATS)} formats)")
    for line in differing:
        print(f"  differs: {line}")
    return not differing


def report(binary, commit, form):
    command = [str(binary), "review", "--base", f"{commit}^", "--head", commit, "--format", form]
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True)
    text = done.stdout
    for pattern in CHANGING:
        text = pattern.sub(b"", text)
    return done.returncode, text
