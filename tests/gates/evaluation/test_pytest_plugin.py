"""`pytest --gate-cases DIR` makes one test of each case."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.gates.evaluation.own_cases import CASES, ROOT


def table(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "gates.evaluation.pytest_plugin"]
    return subprocess.run(
        [*command, f"--gate-cases={folder}", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},  # The other plugins take longer than the cases.
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_folder_is_a_table_of_one_test_a_case() -> None:
    done = table(CASES)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{len(list(CASES.glob('*.json')))} passed" in done.stdout


def test_a_changed_verdict_fails_its_test_and_says_which(tmp_path: Path) -> None:
    case = json.loads((CASES / "a-grounded-answer.json").read_text(encoding="utf-8"))
    case["submission"]["outcome"] = "OUTCOME_FINE"
    (tmp_path / "changed.json").write_text(json.dumps(case), encoding="utf-8")
    (tmp_path / "broken.json").write_text("{}", encoding="utf-8")
    shutil.copy(CASES / "an-alias-cited.json", tmp_path)
    done = table(tmp_path)
    assert done.returncode == 1
    assert "changed.json: the verdict changed" in done.stdout
    assert "gate 6 outcome class: was pass, is reject: The outcome is `OUTCOME_FINE`" in done.stdout
    assert "broken.json: id: Field required" in done.stdout
    assert "1 passed" in done.stdout


def test_a_folder_that_is_not_there_is_a_usage_error() -> None:
    done = table(Path("/nowhere"))
    assert done.returncode == 4
    assert "no folder /nowhere" in done.stderr


def test_named_tests_run_beside_the_cases(tmp_path: Path) -> None:
    shutil.copy(CASES / "a-grounded-answer.json", tmp_path)
    done = table(
        tmp_path, "tests/gates/checks/test_gate1_verify_signature.py::test_a_missing_probe_of_a_script_is_rejected"
    )
    assert "2 passed" in done.stdout
