"""The JUnit file of a run, `run --junit r.xml`, in which each trial is a test case.

JUnit is the form of test results that build servers read. A trial has passed, failed (a score below 1),
is in error (no answer), or was skipped (no score yet).
"""

from pathlib import Path
from xml.etree import ElementTree

from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.run_trials import RunTrials
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.view.junit import cases_of_run, write_junit


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
