"""Repositories of source code that parses, in five languages, and branches that change it."""

import random
import subprocess

from .place import ENVIRONMENT

WORDS = ["account", "order", "total", "index", "result", "buffer", "request", "value", "status", "limit"]


def generate(folder, files, changed, bodies=None):
    """A repository of files that parse, and a branch that edits `changed` of them: some bodies, and a function that is new."""
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
    after = {path: edited(rng, before[path], ending, bodies) for path, ending in paths[:changed]}
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


def edited(rng, functions, ending, bodies):
    """One function is new, and `bodies` get another body; by default one or two do: about fifty lines of patch."""
    edited = list(functions)
    for at in bodies or ((4, 11) if rng.random() < 0.45 else (4,)):
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
