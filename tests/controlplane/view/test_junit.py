"""The JUnit file of a run, `run --junit r.xml`, and its exit code under `--fail-under 0.8`.

JUnit is the form of test results that build servers read. Each trial is a test case: passed,
failed (a score below 1), in error (no answer), or skipped (no score yet).
"""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.run_trials import RunTrials
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.junit import cases_of_run, write_junit
from tests.support.command import CommandResult, CommandRunner


def junit_file_of(path: Path, trials: list[TrialSummary]) -> ElementTree.Element:
    """Write the JUnit file of a run with these trials, and return its root element."""
    trials_by_id = {trial.trial_id: trial for trial in trials}
    summary = RunSummary(trials=RunTrials(trials_by_id))
    write_junit(path, "run", cases_of_run(summary))
    return ElementTree.parse(path).getroot()


def test_each_kind_of_trial_is_a_kind_of_test_case(tmp_path: Path) -> None:
    """A passed case has no element in it. The reason of the wrong one has characters that XML
    forbids."""
    path = tmp_path / "r.xml"
    # Characters that XML forbids, and some that it has to escape.
    text_that_breaks_xml = "\x00\x1b[31m <b>&\ud800"
    trials = [
        TrialSummary("right", state="answered", score=1.0),
        TrialSummary(
            "wrong", state="answered", score=0.5, details=(text_that_breaks_xml,)
        ),
        TrialSummary("hidden score", state="answered"),
        TrialSummary("no answer", state="fallback", score=0.0, reason="no steps left"),
        TrialSummary("not started", state="failed", reason="refused"),
    ]

    root = junit_file_of(path, trials)

    elements_of_cases: dict[str | None, list[str]] = {}
    for case in root:
        elements_of_cases[case.get("name")] = [element.tag for element in case]
    assert elements_of_cases == {
        "right": [],
        "wrong": ["failure"],
        "hidden score": ["skipped"],
        "no answer": ["error"],
        "not started": ["error"],
    }
    assert root.get("tests") == "5"
    assert root.get("failures") == "1"
    assert root.get("errors") == "2"
    assert root.get("skipped") == "1"
    assert "score 0.500" in path.read_text(encoding="utf-8")


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


OK = 0
SCORE_TOO_LOW = 1
"""The exit code of a run whose mean score is below the limit."""


class TestLimitOfTheScore:
    """A run of five trials, of which one is wrong, has a mean score of 0.8.

    `--fail-under 0.9` is a limit for it, so that a build can fail. `script` is the file with
    the replies of the model.
    """

    @pytest.mark.parametrize(
        ("limit", "code"),
        [
            pytest.param("0.8", OK, id="the mean score itself"),
            pytest.param("0.9", SCORE_TOO_LOW, id="a higher limit"),
            pytest.param("nan", SCORE_TOO_LOW, id="not a number"),
        ],
    )
    def test_a_run_fails_under_the_limit_of_its_score(
        self, limit: str, code: int, script: Path, run_command_here: CommandRunner
    ) -> None:
        """So that a build can fail. The mean score of the five trials is 0.8."""
        result = run_five_trials(run_command_here, script, "--fail-under", limit)

        assert result.code == code

    def test_a_run_whose_score_is_too_low_says_so_and_writes_its_junit_file(
        self, script: Path, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """One of the five trials is a failure in the file."""
        result = run_five_trials(
            run_command_here, script, "--fail-under", "0.9", "--junit", "r.xml"
        )

        assert result.code == SCORE_TOO_LOW
        assert result.err == "--fail-under: the mean score 0.800 is lower than 0.9\n"
        assert ElementTree.parse(tmp_path / "r.xml").getroot().get("failures") == "1"
