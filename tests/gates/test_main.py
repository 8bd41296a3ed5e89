"""The command line of the gates."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gates.__main__ import main
from tests.gates.test_recorded_answers import written
from tests.support.command import on_a_full_disk


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_check_prints_one_verdict_a_line_and_ends_well_though_some_are_rejected(tmp_path: Path) -> None:
    result = run("check", written(tmp_path, with_scores=False))
    lines = result.output.splitlines()
    assert result.exit_code == 0
    assert [line.split()[:2] for line in lines[:4]] == [
        ["a", "accepted"],
        ["b", "rejected"],
        ["c", "rejected"],
        ["d", "rejected"],
    ]
    assert lines[4].startswith("4 judged, 3 rejected; applied: 3, ")


def test_check_with_a_pack_names_its_rules(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    record = {
        "id": "x",
        "task_text": "Delete all files in /tmp/cleanup-1.",
        "outcome": "OUTCOME_NONE_UNSUPPORTED",
        "message": "There is no tool for that.",
    }
    path.write_text(json.dumps(record), encoding="utf-8")
    found = json.loads(run("check", path, "--rules", "ecom", "--json").output)
    assert (found["rejected"], found["by"]) == (True, ["ecom/cleanup"])
    assert run("check", path).output.splitlines()[0] == "x  accepted"


def test_score_prints_what_was_caught_and_what_it_cost(tmp_path: Path) -> None:
    path = written(tmp_path)
    assert "caught 2 of 2 wrong" in run("score", path).output
    assert json.loads(run("score", path, "--json").output)["caught"] == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["check", "/nowhere.jsonl"], "/nowhere.jsonl"),
        (["check", __file__], "test_main.py:1:"),
        (["score", __file__], "test_main.py:1:"),
        (["check", __file__, "--rules", "nonesuch"], "no rule pack is called 'nonesuch'"),
        (["check", __file__, "--rules", "nowhere.at:ALL"], "cannot be loaded"),
        (["check", "/dev/null"], "/dev/null can be read only once"),
        (["score", "/dev/null"], "/dev/null can be read only once"),
    ],
)
def test_an_unreadable_file_is_one_line_and_exit_code_two(arguments: list[str], named: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert named in result.output
    assert "Traceback" not in result.output


def test_the_command_starts_without_slow_libraries() -> None:
    code = (
        "import sys, gates.__main__; print(*(m for m in ('pydantic', 'openai', 'rich', 'httpx2') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_result_that_cannot_be_printed_is_told_in_one_line(tmp_path: Path) -> None:
    result = on_a_full_disk([sys.executable, "-m", "gates", "--help"], tmp_path)
    assert result.err == "Error: the result cannot be printed: No space left on device\n"
    assert result.code == 3
