"""Attacks on the command line that were written by people outside the project.

Each attack is a program, such as `rx_long_word_ask.py`. It makes hostile files or requests, runs
`controlplane` on them, and prints HOLDS if the product withstood, FALLS if not. The programs are
in a folder beside the repository. The tests are skipped without that folder.

A test copies a program, updates names and time limits in the copy, and runs it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT

FIRST_SET = ROOT.parent / "shared" / "strangers"
SECOND_SET = ROOT.parent / "shared" / "strangers5"
"""The folders of the attacks."""

TESTED_KINDS = (
    "ask_",  # questions about files
    "cf_",  # configuration files
    "cl_kept",  # `clean`, which deletes files of earlier runs
    "cl_slow",
    "doc_",  # conversion of documents
    "ev_",  # evidence: what an answer may cite
    "ex_",  # exports to spreadsheets
    "gu_",  # the guard, which checks calls before they are sent
    "im_",  # `improve`, which proposes changes of prompts
    "jo_",  # journals of runs
    "mc_",  # installation in clients of MCP
    "rx_",  # regular expressions that take long
    "sp_",  # the files that scripts search
)
"""How the names of the tested attacks of the first set begin. The others of this set are not about
the command line."""

RACING_ATTACK = "ask_kill_between"
"""An attack that looks at files while they are still being renamed, so that its verdict depends
on chance. `test_killed_changes` kills the product between two renames instead."""

CURRENT_NAMES = {
    '"--yes"': '"--apply"',
    '"--rules"': '"--rule-sets"',
    "from gates.rules import Pack": "from controlplane.gates.rules import RuleSet",
    "Pack(": "RuleSet(",
    '["protests"]': '["overridden"]',
    "['protests']": "['overridden']",
    'KEEP = {"type",': 'KEEP = {"type", "state",',
}
"""Names of options, classes and fields that have changed since the attacks were written: the
text in an attack, and what replaces it. The last one is a list of fields, which has grown."""

LONGER_LIMITS = {
    # Converting its 60,000 rows takes 8 to 10 seconds of CPU.
    "doc_failure_kept": [("limit=12", "limit=40")],
    # It starts a run and interrupts it after 4 s. On a busy machine the run may begin later, so
    # first wait for its journal, which the attack's function `h.journal` returns.
    "rx_underscores_interrupt": [
        (
            "time.sleep(4)",
            "while h.journal() is None: time.sleep(0.1)\n        time.sleep(4)",
        ),
        ("limit=13", "limit=60"),
    ],
}
"""Time limits in the source of attacks that a slow machine exceeds, and the text that replaces
each. These attacks are not about speed."""

LONGEST_ATTACK_S = 120
"""An attack that runs longer is killed, and its test fails."""


def attack_programs() -> list[Path]:
    """Return the attacks of `TESTED_KINDS` in the first set, and all attacks in the second."""
    attacks: list[Path] = []
    for path in sorted(FIRST_SET.glob("*.py")):
        if path.stem.startswith(TESTED_KINDS) and path.stem != RACING_ATTACK:
            attacks.append(path)
    for path in sorted(SECOND_SET.glob("*.py")):
        if path.stem != "run":  # the program that runs the others
            attacks.append(path)
    return attacks


def copy_with_changes(attack: Path, folder: Path) -> Path:
    """Copy an attack with all files beside it into a folder, and return the copy's path.

    In the copy, `CURRENT_NAMES` and `LONGER_LIMITS` are put in place of what the attack has.
    """
    shutil.copytree(attack.parent, folder)
    copy = folder / attack.name
    source = copy.read_text("utf-8")
    for former_name, current_name in CURRENT_NAMES.items():
        source = source.replace(former_name, current_name)
    for limit, longer_limit in LONGER_LIMITS.get(attack.stem, []):
        source = source.replace(limit, longer_limit)
    copy.chmod(0o600)
    copy.write_text(source, "utf-8")
    return copy


def run_attack(program: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run an attack in a new folder. The variables RED_... tell it which product to attack."""
    folder.mkdir()
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "RED_CLONE": str(ROOT),
        "RED_PYTHON": sys.executable,
        "RED_TMP": str(folder),
    }
    return subprocess.run(
        [sys.executable, str(program)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST_ATTACK_S,
    )


def says_holds(attack: subprocess.CompletedProcess[str]) -> bool:
    """Return True if an attack has printed that the product withstood it."""
    return any(line.startswith("HOLDS") for line in attack.stdout.split("\n"))


@pytest.mark.second_tier
@pytest.mark.skipif(not FIRST_SET.exists(), reason="the attacks of others are not here")
@pytest.mark.parametrize("path", attack_programs(), ids=lambda path: path.stem)
def test_the_product_withstands_an_attack(path: Path, tmp_path: Path) -> None:
    """An attack that fails is run once more: it measures seconds, and the machine may be busy."""
    program = copy_with_changes(path, tmp_path / "attacks")

    attack = run_attack(program, tmp_path / "first")
    if not says_holds(attack):
        attack = run_attack(program, tmp_path / "second")

    assert says_holds(attack), attack.stdout[-600:] + attack.stderr[-300:]
