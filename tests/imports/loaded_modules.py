"""The modules that a command of `controlplane` has loaded when it ends."""

from pathlib import Path

from tests.support.command import run_python

COMMAND_THAT_PRINTS_MODULES = """
import sys
from controlplane.command_line import run_command
try:
    run_command(sys.argv[1:])
finally:
    print(*sys.modules, file=sys.stderr)
"""
"""A program: runs a command of `controlplane`, and then writes the names of all modules that
are loaded as the last line to standard error."""


def modules_loaded_by(*words: str | Path) -> list[str]:
    """Return all modules that a command has loaded when it ends.

    `modules_loaded_by("show", "last")` -> `["sys", "controlplane.command_line", ...]`
    """
    result = run_python("-c", COMMAND_THAT_PRINTS_MODULES, *words)
    return result.err.splitlines()[-1].split()


def modules_loaded_by_run(*options: str | Path) -> list[str]:
    """Return the modules that a short run loads in the process that plays its trials.

    `modules_loaded_by_run("--workers", "threads")` -> `["sys", …]`
    """
    return modules_loaded_by("run", "--limit", "1", "--quiet", *options)
