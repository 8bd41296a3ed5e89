"""Attacks on the command line that were written by people outside the project.

An attack is a program, such as `rx_long_word_ask.py`. It makes hostile files or requests, runs
`controlplane` on them, and prints HOLDS if the product withstood, FALLS if not. The programs are in
two folders beside the repository; without them, the tests are skipped.
"""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forks.forked_process import start_server
from tests.support.product_files import ROOT

# Programs of others that attack the command line, and their runs.

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
        timeout=600,  # An attack that takes longer is killed, and its test fails.
    )


def says_holds(attack: subprocess.CompletedProcess[str]) -> bool:
    """Return True if an attack has printed that the product withstood it."""
    return any(line.startswith("HOLDS") for line in attack.stdout.split("\n"))


# Changes of attacks: today's names in the product, and more time on busy machines.
#
# An *attack* is a program that somebody outside the project wrote against the command line. It makes
# hostile files, runs the product on them, and prints whether the product withstood.

RENAMINGS = [
    ('"--yes"', '"--apply"'),
    ('"--rules"', '"--rule-sets"'),
    ("from gates.rules import Pack", "from controlplane.gates.rules import RuleSet"),
    ("Pack(", "RuleSet("),
    ('["protests"]', '["overridden"]'),
    ("['protests']", "['overridden']"),
    # An attack keeps these fields of a journal's lines, which have got the field "state" since.
    ('KEEP = {"type",', 'KEEP = {"type", "state",'),
]
"""Old and new text for what has changed in the product since the attacks were written."""

TIME_CHANGES = {
    # It wants its commands to take less than 6 and 4 s of CPU. A slow machine needs 4 to 6; without a
    # bound on what is compared, it would be minutes.
    "cl_slow_trace": [
        ("r.cpu < 6", "r.cpu < 15"),
        ("s.cpu < 4", "s.cpu < 15"),
        ("limit=17", "limit=60"),
        ("limit=12", "limit=60"),
    ],
    # It converts 60,000 rows, which takes up to 10 s of CPU, within 12 s.
    "doc_failure_kept": [("limit=12", "limit=40")],
    # It interrupts a run 4 s after the start of the process, and ends it after 13 s. On a busy
    # machine the run begins later, so the attack first waits for the run's journal (its file).
    "rx_underscores_interrupt": [
        (
            "        time.sleep(4)\n",
            "        while h.journal() is None: time.sleep(0.1)\n        time.sleep(4)\n",
        ),
        ("limit=13", "limit=60"),
    ],
}
"""Changes of attacks whose time limits a slow or busy machine exceeds."""


def copy_with_changes(attack: Path, folder: Path) -> Path:
    """Copy an attack with all files beside it into a folder, change the copy, and return its path."""
    shutil.copytree(attack.parent, folder)
    copy = folder / attack.name
    source = copy.read_text("utf-8")
    for old_name, new_name in RENAMINGS:
        source = source.replace(old_name, new_name)
    for old_code, new_code in TIME_CHANGES.get(attack.stem, []):
        assert old_code in source
        source = source.replace(old_code, new_code)
    copy.chmod(0o600)  # The original, and so the copy, may be read-only.
    copy.write_text(source, "utf-8")
    return copy


@pytest.fixture(scope="module")
def command_server() -> Iterator[socket.socket]:
    """The control socket of a server that forks the commands which attacks start."""
    control, server = start_server(ENVIRONMENT)
    with server, control:
        yield control


@pytest.mark.second_tier
@pytest.mark.skipif(
    not ATTACK_FOLDERS[0].exists(), reason="the attacks of others are not here"
)
@pytest.mark.parametrize("path", attack_programs(), ids=lambda path: path.stem)
def test_the_product_withstands_an_attack(
    path: Path, tmp_path: Path, command_server: socket.socket
) -> None:
    """An attack that fails is run once more: it measures seconds, and the machine may be busy."""
    program = copy_with_changes(path, tmp_path / "attacks")

    attack = run_attack(program, tmp_path / "first", command_server)
    if not says_holds(attack):
        attack = run_attack(program, tmp_path / "second", command_server)

    assert says_holds(attack), attack.stdout[-600:] + attack.stderr[-300:]
