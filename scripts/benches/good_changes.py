"""The share of changes by people that the built-in rules block, by rule and by size, with each finding and its code.

Whatever is blocked here was merged or released by its project: each block has to be judged, and docs/TRUTH.md says how.
"""

import collections
import json
import os
import subprocess

from .place import BINARY, ENVIRONMENT, build

BLOCKING = {"CRITICAL", "HIGH", "MAJOR"}
CODE = {
    "c", "cc", "cpp", "cs", "go", "h", "hpp", "java", "js", "jsx", "kt", "mjs", "php", "py", "rb", "rs", "scala", "sh", "swift",
    "ts", "tsx",
}
MOST_FILES = 15
LARGE = 200
PATIENCE = 300


def run(repositories, count, binary=None):
    if binary is None:
        build("--bin", "countersign")
        binary = BINARY
    if not repositories:
        raise SystemExit("cannot review anything: no repository is named\nhint: scripts/bench good-changes REPO...")
    totals, by_rule, failed = collections.Counter(), collections.Counter(), 0
    for repository in repositories:
        for base, head, added in changes(repository, count):
            report = review(binary, repository, base, head)
            if report is None:
                failed += 1
                print(f"{name(repository)} {head[:10]}: the review failed")
                continue
            size = "large" if added >= LARGE else "small"
            blocking = [one for one in report["countersign"]["findings"] if one["severity"] in BLOCKING]
            totals[size, "all"] += 1
            totals[size, "blocked"] += bool(blocking)
            by_rule.update(one["rule"] for one in blocking)
            for one in blocking:
                show(repository, base, head, added, one)
    print()
    for size, what in (("small", f"fewer than {LARGE} added lines"), ("large", f"{LARGE} added lines and more")):
        print(f"{what:30} {share(totals[size, 'blocked'], totals[size, 'all'])}")
    both = {key: totals["small", key] + totals["large", key] for key in ("blocked", "all")}
    print(f"{'all changes':30} {share(both['blocked'], both['all'])}")
    for rule, findings in by_rule.most_common():
        print(f"  {rule:28} {findings} findings")
    if failed:
        print(f"{failed} reviews failed")


def share(blocked, total):
    return f"{blocked} of {total} blocked, {100 * blocked / total:.1f}%" if total else "none"


def changes(repository, count):
    """The newest merged commits that touch 1 to 15 files of code, each as base, head and the lines of code it adds."""
    log = git(repository, "log", "--first-parent", "--format=%H %P", "--max-count", str(count * 8))
    found = 0
    for line in log.splitlines():
        head, *parents = line.split()
        if not parents or found == count:
            continue
        numbers = git(repository, "diff", "--numstat", "-M", parents[0], head).splitlines()
        rows = [row.split("\t", 2) for row in numbers]
        code = [int(row[0]) for row in rows if row[0] != "-" and row[2].rstrip("}").rsplit(".", 1)[-1] in CODE]
        if 1 <= len(code) <= MOST_FILES:
            found += 1
            yield parents[0], head, sum(code)


def review(binary, repository, base, head):
    command = [str(binary), "review", "--base", base, "--head", head, "--format", "json"]
    try:
        done = subprocess.run(command, cwd=repository, env=ENVIRONMENT, capture_output=True, timeout=PATIENCE)
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def show(repository, base, head, added, finding):
    place = finding["place"]
    where = place.get("path", "")
    if "start" in place:
        where += f":{place['start']}"
    print(f"{name(repository)} {head[:10]} (+{added}) {finding['rule']} {finding['severity']} {where}")
    print(f"    {finding['message']}")
    side = base if place.get("side") == "old" else head
    if "start" in place:
        text = git(repository, "show", f"{side}:{place['path']}").splitlines()
        first = max(1, place["start"] - 3)
        for number, line in enumerate(text[first - 1 : place["end"] + 3], first):
            mark = ">" if place["start"] <= number <= place["end"] else " "
            print(f"    {mark} {number:5} {line[:140]}")


def name(repository):
    return os.path.basename(os.path.abspath(repository))


def git(repository, *words):
    done = subprocess.run(["git", *words], cwd=repository, env=ENVIRONMENT, capture_output=True)
    return done.stdout.decode("utf-8", "replace")
