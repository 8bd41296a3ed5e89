"""Lists of runs, and results as JUnit XML."""

from pathlib import Path
from xml.etree import ElementTree

from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view.run_results import cases_of_run, write_junit
from tests.support.command import Type


def test_trials_pass_fail_err_or_are_skipped(tmp_path: Path) -> None:
    hostile = "\x00\x1b[31m <b>&\ud800"
    trials = [
        TrialSummary("right", state="answered", score=1.0),
        TrialSummary("wrong", state="answered", score=0.5, details=(hostile,)),
        TrialSummary("sealed", state="answered"),
        TrialSummary("lost", state="fallback", score=0.0, reason="no steps left"),
        TrialSummary("never", state="failed", reason="refused"),
    ]
    path = tmp_path / "r.xml"
    write_junit(path, "run", cases_of_run(RunSummary(trials={trial.trial_id: trial for trial in trials})))
    root = ElementTree.parse(path).getroot()
    kinds = {case.get("name"): [each.tag for each in case] for case in root}
    assert kinds == {"right": [], "wrong": ["failure"], "sealed": ["skipped"], "lost": ["error"], "never": ["error"]}
    assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["5", "1", "2", "1"]
    assert "score 0.500" in path.read_text(encoding="utf-8")


def test_run_writes_the_file_and_fails_under_a_score(script: Path, type_in: Type, tmp_path: Path) -> None:
    crowd = ("run", "--benchmark", "tests.support.many_trials:5", "--model", f"scripted:{script}", "--quiet")
    assert type_in(*crowd, "--fail-under", "0.8").code == 0
    assert type_in(*crowd, "--fail-under", "nan").code == 1
    low = type_in(*crowd, "--fail-under", "0.9", "--junit", "r.xml")
    assert (low.code, low.err) == (1, "--fail-under: the mean score 0.800 is lower than 0.9\n")
    assert ElementTree.parse(tmp_path / "r.xml").getroot().get("failures") == "1"
