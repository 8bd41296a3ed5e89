"""Hostile inputs of others, each a program that plays
against the command line and prints HOLDS or FALLS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
INPUTS = SHARED / "strangers"
LATER_INPUTS = SHARED / "strangers5"
KINDS = (
    "ask_",
    "cf_",
    "cl_kept",
    "cl_slow",
    "doc_",
    "ev_",
    "ex_",
    "gu_",
    "im_",
    "jo_",
    "mc_",
    "rx_",
    "sp_",
)
NAMES_OF_TODAY = {
    '"--yes"': '"--apply"',
    '"--rules"': '"--rule-sets"',
    "from gates.rules import Pack": "from controlplane.gates.rules import RuleSet",
    "Pack(": "RuleSet(",
    '["protests"]': '["overridden"]',
    "['protests']": "['overridden']",
    'KEEP = {"type",': 'KEEP = {"type", "state",',
}
"""Names that the inputs were written with."""
PATIENCE = {
    # Converting its 60,000 rows takes 8 to 10 seconds of CPU.
    "doc_failure_kept": [("limit=12", "limit=40")],
    # It interrupts a run that must have begun. A busy machine may need longer for that.
    "rx_underscores_interrupt": [
        (
            "time.sleep(4)",
            "while h.journal() is None: time.sleep(0.1)\n        time.sleep(4)",
        ),
        ("limit=13", "limit=60"),
    ],
}
"""Texts of inputs that are replaced, with the texts that replace them. The inputs are
not about speed, but they have limits in seconds that a slow machine exceeds."""
RACES = ("ask_kill_between",)
"""Looks at files while they are still being renamed;
`test_text_files` kills between two of them."""


def chosen_inputs() -> list[Path]:
    """Return the inputs of the first set whose kinds are tested here."""
    paths = []
    for path in sorted(INPUTS.glob("*.py")):
        if path.stem.startswith(KINDS) and path.stem not in RACES:
            paths.append(path)
    return paths


def later_inputs() -> list[Path]:
    """Return all inputs of the later set."""
    return [path for path in sorted(LATER_INPUTS.glob("*.py")) if path.stem != "run"]


@pytest.mark.second_tier
@pytest.mark.skipif(not INPUTS.exists(), reason="the inputs of others are not here")
@pytest.mark.parametrize(
    "path", [*chosen_inputs(), *later_inputs()], ids=lambda path: path.stem
)
def test_an_input_of_others_holds(path: Path, tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "RED_CLONE": str(ROOT),
        "RED_PYTHON": sys.executable,
    }
    program = patient_copy(path, tmp_path / "inputs")
    # An input measures seconds, which a busy machine exceeds, so that it may fail once.
    for attempt in ("first", "second"):
        folder = tmp_path / attempt
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, str(program)],
            cwd=folder,
            env=environment | {"RED_TMP": str(folder)},
            capture_output=True,
            text=True,
            timeout=120,
        )
        holds = any(line.startswith("HOLDS") for line in done.stdout.split("\n"))
        if holds:
            break

    assert holds, done.stdout[-600:] + done.stderr[-300:]


def patient_copy(path: Path, folder: Path) -> Path:
    """Copy an input with all files beside it into a folder, and return the copy's path.

    The copy has the names of today and the limits of `PATIENCE`.
    """
    shutil.copytree(path.parent, folder)
    copy = folder / path.name
    source = copy.read_text("utf-8")
    for older, today in NAMES_OF_TODAY.items():
        source = source.replace(older, today)
    for impatient, patient in PATIENCE.get(path.stem, []):
        source = source.replace(impatient, patient)
    copy.chmod(0o600)
    copy.write_text(source, "utf-8")
    return copy
