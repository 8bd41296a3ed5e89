"""Runs of the script `start` on a machine that lacks something, and scripts in place of Python there.

`start` calls Python as `python3 -c …` to ask for its version, as `python3 -m venv FOLDER` and as
`python3 -m pip …`, so that the second word is `venv` or `pip`.
"""

import shutil
import subprocess
from pathlib import Path

from tests.support.product_files import ROOT

TOOLS_OF_START = ("cat", "cmp", "cp", "dirname", "mkdir", "readlink", "rm", "sh")
"""The programs that `start` uses besides Python."""

TOO_OLD_PYTHON = """#!/bin/sh
exit 1
"""
"""It fails at the first call, with which `start` asks whether its version is new enough."""

PYTHON_WITHOUT_VENV = """#!/bin/sh
[ "$2" = venv ] && exit 1
exit 0
"""
"""It fails at `python3 -m venv .venv`."""

PYTHON_WITHOUT_NETWORK = """#!/bin/sh
[ "$2" = pip ] && { echo "no network" >&2; exit 1; }
[ "$2" = venv ] && { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }
exit 0
"""
"""It makes a virtual environment, with itself as its Python, and fails at `python3 -m pip ...`."""


def run_start(
    checkout: Path, python: str | None, called_as: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a copy of `start` in `checkout`, with this script for Python, or none at all.

    `called_as` is the path that is typed, if not that of the copy.
    """
    tools = checkout / "tools"
    tools.mkdir()
    for tool in TOOLS_OF_START:
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    if python is not None:
        (tools / "python3").write_text(python)
        (tools / "python3").chmod(0o755)
    for name in ("start", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, checkout / name)
    return subprocess.run(
        ["/bin/sh", str(called_as or checkout / "start")],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def is_installed() -> bool:
    """Return True if `./start test` has installed what the files of this checkout ask for."""
    stamp = ROOT / ".venv/.installed-test"
    requirements = (ROOT / "pyproject.toml", ROOT / "constraints.txt")
    wanted = b"".join(path.read_bytes() for path in requirements)
    return stamp.exists() and stamp.read_bytes() == wanted
