"""Hostile inputs of others, each a program that plays against the command line and prints HOLDS or FALLS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INPUTS = ROOT.parent / "shared" / "strangers"
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
}
"""Names that the inputs were written with."""
RACES = ("ask_kill_between",)
"""Looks at files while they are still being renamed; `test_text_files` kills between two of them."""


@pytest.mark.second_tier
@pytest.mark.skipif(not INPUTS.exists(), reason="the inputs of others are not here")
@pytest.mark.parametrize(
    "name",
    sorted(
        path.stem
        for path in INPUTS.glob("*.py")
        if path.stem.startswith(KINDS) and path.stem not in RACES
    ),
)
def test_an_input_of_others_holds(name: str, tmp_path: Path) -> None:
    environment = {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "RED_CLONE": str(ROOT),
        "RED_PYTHON": sys.executable,
        "RED_TMP": str(tmp_path),
    }
    inputs = tmp_path / "inputs"
    shutil.copytree(INPUTS, inputs)
    source = (inputs / f"{name}.py").read_text("utf-8")
    for older, today in NAMES_OF_TODAY.items():
        source = source.replace(older, today)
    (inputs / f"{name}.py").chmod(0o600)
    (inputs / f"{name}.py").write_text(source, "utf-8")
    command = [sys.executable, str(inputs / f"{name}.py")]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120
    )
    assert "\nHOLDS" in f"\n{done.stdout}", done.stdout[-600:] + done.stderr[-300:]
