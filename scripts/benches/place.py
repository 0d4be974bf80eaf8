"""Where things are built and measured."""

import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BENCH = TARGET / "bench"
BINARY = TARGET / "release" / "countersign"
DRIVER = TARGET / "release" / "examples" / "queue_bench"

# Of programs that are measured: nobody's own settings.
ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": str(BENCH),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "LANG": "C.UTF-8",
}


def build(*what):
    subprocess.run(["cargo", "build", "--release", "--quiet", *what], cwd=ROOT, check=True)
