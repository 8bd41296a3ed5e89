"""Programs of others that attack the command line, and their runs."""

import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.support.product_files import ROOT

ATTACK_FOLDERS = (ROOT.parent / "shared/strangers", ROOT.parent / "shared/strangers5")

PROGRAM_WITH_FORKS = "tests.hostile_inputs.attack_with_forks"
"""Runs an attack, and lets the commands that it starts be forks of a server."""

LEFT_OUT = {
    "run": "it runs the other programs of its folder",
    "ask_kill_between": (
        "it looks at files while they are renamed, so that chance decides; "
        "`test_killed_changes` kills the product between two renames instead"
    ),
    "cl_arithmetic": "it is about computed values in answers, not about the command line",
    "cl_codes": "it is about invented values in answers, not about the command line",
}
"""Programs of the two folders that are not tested, each with the reason."""


def attack_programs() -> list[Path]:
    """Return the programs: `[Path("…/shared/strangers/rx_long_word_ask.py"), …]`."""
    attacks: list[Path] = []
    for folder in ATTACK_FOLDERS:
        for path in sorted(folder.glob("*.py")):
            if path.stem not in LEFT_OUT:
                attacks.append(path)
    return attacks


ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONPATH": str(ROOT),
}
"""The environment of attacks, and of the server that forks their commands."""


def run_attack(
    program: Path, folder: Path, command_server: socket.socket
) -> subprocess.CompletedProcess[str]:
    """Run an attack in a new folder. The variables RED_... tell it which product to attack.

    `command_server` is the control socket of the server that forks the attack's commands.
    """
    folder.mkdir()
    environment = ENVIRONMENT | {
        "RED_CLONE": str(ROOT),
        "RED_PYTHON": sys.executable,
        "RED_TMP": str(folder),
    }
    control = command_server.fileno()
    return subprocess.run(
        [sys.executable, "-m", PROGRAM_WITH_FORKS, str(control), str(program)],
        cwd=folder,
        env=environment,
        pass_fds=[control],
        capture_output=True,
        text=True,
        timeout=120,  # An attack that takes longer is killed, and its test fails.
    )


def says_holds(attack: subprocess.CompletedProcess[str]) -> bool:
    """Return True if an attack has printed that the product withstood it."""
    return any(line.startswith("HOLDS") for line in attack.stdout.split("\n"))
