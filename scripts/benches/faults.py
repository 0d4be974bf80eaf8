"""Faults that an agent might make, planted in Rust and Python code."""

import re
import string
from dataclasses import dataclass
from typing import Callable

TEST = re.compile(r"^( *)#\[test\]\n(?: *#\[[^\n]*\n)* *(?:async )?fn \w+\(\)[^\n]*\{\n", re.M)
ASSERTION = re.compile(r"^ *(?:debug_)?assert(?:_eq|_ne)?!\([^\n]*\);\n", re.M)
PUBLIC = re.compile(r"^( *)pub (?:const |async |unsafe )*fn (\w+)\(([^()\n]*)\)[^\n;{]*\{\n", re.M)
QUESTION = re.compile(r"^( +)(?!let |return |use |//)([\w.:]+\([^\n;]*\))\?;\n", re.M)


@dataclass(frozen=True)
class Kind:
    name: str
    dimension: str
    change: Callable
    ending: str = "rs"

    def plant(self, rng, folder):
        """The path of a file and its text with the fault; nothing if there is no place for it."""
        paths = sorted(folder.glob(f"**/*.{self.ending}"))
        paths = [path for path in paths if not set(path.parts) & {"target", "examples", "benches"}]
        for path in rng.sample(paths, len(paths)):
            try:
                text = path.read_text()
            except UnicodeDecodeError:
                continue
            faulty = self.change(rng, path.relative_to(folder), text)
            if faulty is not None and faulty != text:
                return path.relative_to(folder), faulty
        return None


def body_end(text, start, indent):
    """After the closing brace of the function whose body begins at `start`."""
    closing = text.find(f"\n{indent}}}\n", start - 1)
    return closing + len(indent) + 3 if closing >= 0 else None


def tests(text):
    for found in TEST.finditer(text):
        end = body_end(text, found.end(), found.group(1))
        if end:
            yield found, end


def drop_assertion(rng, path, text):
    spots = []
    for found, end in tests(text):
        assertions = list(ASSERTION.finditer(text, found.end(), end))
        spots += [one for one in assertions if one.end() <= end]
    if not spots:
        return None
    spot = rng.choice(spots)
    return text[: spot.start()] + text[spot.end() :]


def skip_test(rng, path, text):
    spots = [found for found, end in tests(text) if "#[ignore" not in found.group(0)]
    if not spots:
        return None
    spot = rng.choice(spots)
    at = spot.start() + len(spot.group(1)) + len("#[test]\n")
    return text[:at] + f"{spot.group(1)}#[ignore]\n" + text[at:]


def public_functions(path, text):
    """Outside of tests and private modules as far as one can see from here."""
    if path.parts[0] != "src" and "src" not in path.parts or "tests" in path.parts or path.name in ("main.rs", "tests.rs", "build.rs"):
        return []
    limit = text.find("#[cfg(test)]")
    return [found for found in PUBLIC.finditer(text) if limit < 0 or found.start() < limit]


def add_parameter(rng, path, text):
    spots = public_functions(path, text)
    if not spots:
        return None
    spot = rng.choice(spots)
    inside = spot.group(3).rstrip().rstrip(",")
    more = f"{inside}, extra: u32" if inside else "extra: u32"
    return text[: spot.start(3)] + more + text[spot.end(3) :]


def remove_public_function(rng, path, text):
    spots = [(found, body_end(text, found.end(), found.group(1))) for found in public_functions(path, text)]
    spots = [(found, end) for found, end in spots if end]
    if not spots:
        return None
    found, end = rng.choice(spots)
    start = found.start()
    # Its attributes and documentation go with it.
    while start > 0:
        line = text.rfind("\n", 0, start - 1) + 1
        if not text[line:start].lstrip().startswith(("#[", "///")):
            break
        start = line
    return text[:start] + text[end:]


def swallow_error(rng, path, text):
    limit = text.find("#[cfg(test)]")
    spots = [found for found in QUESTION.finditer(text) if limit < 0 or found.start() < limit]
    if not spots or "tests" in path.parts:
        return None
    spot = rng.choice(spots)
    indent, call = spot.group(1), spot.group(2)
    way = rng.choice([f"{indent}let _ = {call};\n", f"{indent}{call}.ok();\n", f"{indent}if let Err(_) = {call} {{}}\n"])
    return text[: spot.start()] + way + text[spot.end() :]


def plant_token(rng, path, text):
    if "tests" in path.parts or "\n}\n" not in text:
        return None
    some = lambda alphabet, count: "".join(rng.choice(alphabet) for _ in range(count))
    upper, mixed = string.ascii_uppercase + "234567", string.ascii_letters + string.digits
    token = rng.choice([
        "AKIA" + some(upper, 16),
        "glpat-" + some(mixed, 20),
        "xoxb-" + some(string.digits, 12) + "-" + some(string.digits, 12) + "-" + some(mixed, 24),
        "sk_live_" + some(mixed, 24),
        "AIza" + some(mixed, 35),
        "npm_" + some(mixed, 36),
        "postgres://app:" + some(mixed, 16) + "@db.internal:5432/app",
    ])
    at = text.index("\n}\n") + 3
    return text[:at] + f'\nconst ENDPOINT: &str = "{token}";\n' + text[at:]


def stub_body(rng, path, text):
    spots = [(found, body_end(text, found.end(), found.group(1))) for found in public_functions(path, text)]
    spots = [(found, end) for found, end in spots if end]
    if not spots:
        return None
    found, end = rng.choice(spots)
    word = rng.choice(["todo!()", "unimplemented!()"])
    return text[: found.end()] + f"{found.group(1)}    {word}\n{found.group(1)}}}\n" + text[end:]


PYTHON_FUNCTION = re.compile(r"^def ([a-z]\w*)\(([^()\n]*)\):\n((?:(?:    [^\n]*)?\n)+)", re.M)
PYTHON_HANDLER = re.compile(r"^( *)except [^\n]*:\n(?:\1 +[^\n]*\n)+", re.M)


def python_functions(path, text):
    """Functions of a module with a body of some lines, each with the end of its body."""
    if "test" in str(path).lower():
        return []
    found = [(one, one.start() + len(one.group(0).rstrip()) + 1) for one in PYTHON_FUNCTION.finditer(text)]
    decides = lambda body: re.search(r"^ +(?:if|for|while) ", body, re.M) and body.count("(") > 2
    return [(one, end) for one, end in found if decides(one.group(3)) and one.group(3).count("\n") > 6]


def python_replace(rng, path, text, body):
    spots = python_functions(path, text)
    if not spots:
        return None
    found, end = rng.choice(spots)
    return text[: found.start(3)] + body + text[end:]


def python_stub(rng, path, text):
    return python_replace(rng, path, text, "    raise NotImplementedError\n")


def python_constant(rng, path, text):
    return python_replace(rng, path, text, "    return 42\n")


def python_swallow(rng, path, text):
    spots = [one for one in PYTHON_HANDLER.finditer(text) if "raise" in one.group(0) or "return" in one.group(0)]
    if not spots or "test" in str(path).lower():
        return None
    spot = rng.choice(spots)
    head = spot.group(0).split("\n")[0]
    return text[: spot.start()] + f"{head}\n{spot.group(1)}    pass\n" + text[spot.end() :]


def python_remove(rng, path, text):
    spots = python_functions(path, text)
    if not spots:
        return None
    found, end = rng.choice(spots)
    return text[: found.start()] + text[end:]


def python_parameter(rng, path, text):
    spots = [found for found, _ in python_functions(path, text) if "*" not in found.group(2) and "=" not in found.group(2)]
    if not spots:
        return None
    spot = rng.choice(spots)
    inside = spot.group(2).strip().rstrip(",")
    return text[: spot.start(2)] + (f"{inside}, extra" if inside else "extra") + text[spot.end(2) :]


def python_unreachable(rng, path, text):
    spots = python_functions(path, text)
    if not spots:
        return None
    found, _ = rng.choice(spots)
    lines = found.group(3).split("\n")
    first = next((at for at, line in enumerate(lines) if re.match(r"    (?!['\"#])\S", line) and not in_text(lines[:at])), None)
    if first is None:
        return None
    lines.insert(first, "    return None")
    return text[: found.start(3)] + "\n".join(lines) + text[found.end(3) :]


def in_text(lines):
    """Whether a docstring is open behind these lines."""
    return "\n".join(lines).count('\"\"\"') % 2 == 1 or "\n".join(lines).count("'''") % 2 == 1


KINDS = [
    Kind("an assertion dropped", "test_quality", drop_assertion),
    Kind("a test skipped", "test_quality", skip_test),
    Kind("a parameter added", "coordination_compliance", add_parameter),
    Kind("a public function removed", "coordination_compliance", remove_public_function),
    Kind("an error swallowed", "code_quality", swallow_error),
    Kind("a token planted", "security_performance", plant_token),
    Kind("a body not written", "requirement_adherence", stub_body),
]

PYTHON_KINDS = [
    Kind("py: a parameter added", "coordination_compliance", python_parameter, "py"),
    Kind("py: a function removed", "coordination_compliance", python_remove, "py"),
    Kind("py: an error swallowed", "code_quality", python_swallow, "py"),
    Kind("py: a body not written", "requirement_adherence", python_stub, "py"),
    Kind("py: a constant for logic", "requirement_adherence", python_constant, "py"),
    Kind("py: code never reached", "code_quality", python_unreachable, "py"),
]
