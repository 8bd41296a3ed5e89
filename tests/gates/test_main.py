"""The command line of the gates."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gates.__main__ import main
from tests.gates.test_recorded_answers import written


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_score_prints_what_was_caught_and_what_it_cost(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert "caught 2 of 2 wrong" in run("score", path).output
    assert json.loads(run("score", path, "--json").output)["caught"] == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["/nowhere.jsonl"], "/nowhere.jsonl"),
        ([__file__], "test_main.py:1:"),
        ([__file__, "--rules", "nonesuch"], "no rule pack is called 'nonesuch'"),
        ([__file__, "--rules", "nowhere.at:ALL"], "cannot be loaded"),
    ],
)
def test_an_unreadable_file_is_one_line_and_exit_code_two(arguments: list[str], named: str) -> None:
    result = run("score", *arguments)
    assert result.exit_code == 2
    assert named in result.output
    assert "Traceback" not in result.output


def test_the_command_starts_without_slow_libraries() -> None:
    code = (
        "import sys, gates.__main__; print(*(m for m in ('pydantic', 'openai', 'rich', 'httpx2') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
