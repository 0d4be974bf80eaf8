"""The built-in reviewer on changes of real syntax, against `git diff -M` of the same change."""

import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import time

from .place import BENCH, BINARY, build
from .review import ENVIRONMENT, compare

WORDS = ["account", "order", "total", "index", "result", "buffer", "request", "value", "status", "limit"]


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
    extra = report.get("countersign") or report
    coverage = extra.get("coverage") or {}
    return f"{len(report.get('findings', []))} findings, coverage {json.dumps(coverage)[:160]}"


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


def generate(folder, files, changed):
    """A repository of files that parse, and a branch that edits `changed` of them in three places."""
    rng = random.Random(7)
    folder.mkdir(parents=True)
    git = lambda *words, **more: subprocess.run(["git", *words], cwd=folder, env=ENVIRONMENT, check=True, **more)
    git("init", "--quiet", "--initial-branch=main")
    languages = list(LANGUAGES)
    paths = []
    for number in range(files):
        ending = languages[number % len(languages)]
        place = "tests" if number % 10 == 9 else "src"
        paths.append((f"{place}/part{number % 53}/module{number}.{ending}", ending))
    before = {path: source(rng, ending, number) for number, (path, ending) in enumerate(paths)}
    after = {path: edited(rng, before[path], ending) for path, ending in paths[:changed]}
    stream = bytearray()
    for branch, contents in (("main", before), ("topic", after)):
        stream += f"commit refs/heads/{branch}\ncommitter Bench <bench@example.com> 1700000000 +0000\n".encode()
        stream += f"data {len(branch)}\n{branch}\n".encode()
        stream += b"from refs/heads/main\n" if branch == "topic" else b""
        for path, functions in contents.items():
            opening, closing = LANGUAGES[path.rsplit(".", 1)[1]][1:]
            blob = (opening.format(n=path.rsplit("module", 1)[1].split(".")[0]) + "\n".join(functions) + closing).encode()
            stream += f"M 100644 inline {path}\ndata {len(blob)}\n".encode() + blob + b"\n"
    git("fast-import", "--quiet", input=bytes(stream))
    git("checkout", "--quiet", "topic")


def source(rng, ending, number):
    return [function(rng, ending, f"{rng.choice(WORDS)}_{number}_{n}") for n in range(18)]


def edited(rng, functions, ending):
    """One or two functions get another body, and one is new: about fifty lines of patch."""
    edited = list(functions)
    for at in (4, 11) if rng.random() < 0.45 else (4,):
        name = edited[at].split("(")[0].split()[-1]
        edited[at] = function(rng, ending, name)
    edited.insert(15, function(rng, ending, f"added_{rng.randrange(10**6)}"))
    return edited


def function(rng, ending, name):
    a, b, c = (rng.choice(WORDS) for _ in range(3))
    return LANGUAGES[ending][0].replace("NAME", name).replace("AAA", f"{a}_a").replace("BBB", f"{b}_b").replace(
        "CCC", f"{c}_c"
    ).replace("111", str(rng.randrange(10**5)))


RUST = """pub fn NAME(AAA: u64, BBB: &str) -> u64 {
    let mut CCC = AAA + 111;
    for part in BBB.split(',') {
        if part.is_empty() {
            continue;
        }
        CCC = CCC.wrapping_mul(31).wrapping_add(part.len() as u64);
    }
    CCC
}
"""
PYTHON = """def NAME(AAA, BBB):
    CCC = AAA + 111
    for part in BBB.split(","):
        if not part:
            continue
        CCC = CCC * 31 + len(part)
    return CCC

"""
TYPESCRIPT = """export function NAME(AAA: number, BBB: string): number {
  let CCC = AAA + 111;
  for (const part of BBB.split(",")) {
    if (part === "") {
      continue;
    }
    CCC = CCC * 31 + part.length;
  }
  return CCC;
}
"""
GO = """func NAME(AAA int, BBB string) int {
	CCC := AAA + 111
	for _, part := range strings.Split(BBB, ",") {
		if part == "" {
			continue
		}
		CCC = CCC*31 + len(part)
	}
	return CCC
}
"""
JAVA = """    public static int NAME(int AAA, String BBB) {
        int CCC = AAA + 111;
        for (String part : BBB.split(",")) {
            if (part.isEmpty()) {
                continue;
            }
            CCC = CCC * 31 + part.length();
        }
        return CCC;
    }
"""
# A function, what stands before all of them, and what after.
LANGUAGES = {
    "rs": (RUST, "//! Module {n}.\n\n", ""),
    "py": (PYTHON, '"""Module {n}."""\n\n\n', ""),
    "ts": (TYPESCRIPT, "// Module {n}.\n\n", ""),
    "go": (GO, 'package module{n}\n\nimport "strings"\n\n', ""),
    "java": (JAVA, "final class Module{n} {{\n", "}\n"),
}
