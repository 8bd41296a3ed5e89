"""`run --fail-under 0.9` fails if the mean score of the run is lower, so that a build can fail.

A run of five trials, of which one is wrong, has a mean score of 0.8:

    --fail-under 0.9    ->    exit code 1, "the mean score 0.800 is lower than 0.9"
"""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.support.command import CommandResult, CommandRunner


def run_five_trials(
    run_command: CommandRunner, script: Path, *options: str
) -> CommandResult:
    """Run with the model of the fixture `script`, and return the result."""
    return run_command(
        "run",
        "--benchmark",
        "tests.support.many_trials:5",
        "--model",
        f"scripted:{script}",
        "--quiet",
        *options,
    )


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        pytest.param("0.8", 0, id="the mean score itself"),
        pytest.param("0.9", 1, id="a higher limit"),
        pytest.param("nan", 1, id="not a number"),
    ],
)
def test_a_run_fails_under_the_limit_of_its_score(
    limit: str, code: int, script: Path, run_command_here: CommandRunner
) -> None:
    result = run_five_trials(run_command_here, script, "--fail-under", limit)

    assert result.code == code


def test_a_run_whose_score_is_too_low_says_so_and_writes_its_junit_file(
    script: Path, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """One of the five trials is a failure in the file."""
    result = run_five_trials(
        run_command_here, script, "--fail-under", "0.9", "--junit", "r.xml"
    )

    assert result.code == 1
    assert result.err == "--fail-under: the mean score 0.800 is lower than 0.9\n"
    assert ElementTree.parse(tmp_path / "r.xml").getroot().get("failures") == "1"
