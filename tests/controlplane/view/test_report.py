"""The report of a stopped run shows open trials, and counts by kind those it leaves out."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from rich.console import Console

from agent.events import CallRecord, StepDone
from controlplane.journal.run_events import (
    AllottedTrial,
    RunStarted,
    Scored,
    TrialEnded,
    TrialLeftOpen,
    TrialStarted,
)
from controlplane.journal.run_summary import RunSummary, TrialSummary
from controlplane.view.report import print_report
from controlplane.view.run_view import cases_of_run, write_junit
from controlplane.view.trial_pages import Page, step_parts
from tests.support.command import Type


def started(trial_id: str) -> TrialStarted:
    return TrialStarted(trial_id=trial_id, task_id=trial_id, instruction="", now="2026-01-01", tool_schema="")


def stopped(right: int, half: int, left_open: int, waiting: int, *, sealed: int = 0) -> RunSummary:
    """Return a stopped run with so many trials of each kind."""
    kinds = {"right": right, "half": half, "open": left_open, "sealed": sealed, "waiting": waiting}
    names = [f"{kind}-{at}" for kind, count in kinds.items() for at in range(count)]
    summary = RunSummary()
    summary.fold(RunStarted(run_id="x", trials=tuple(AllottedTrial(trial_id=each, task_id=each) for each in names)))
    for name in names:
        kind = name.partition("-")[0]
        if kind == "waiting":
            continue
        summary.fold(started(name))
        if kind == "open":
            summary.fold(TrialLeftOpen(trial_id=name, reason="interrupted"))
            continue
        summary.fold(TrialEnded(trial_id=name, how="answered", elapsed_ms=1))
        summary.fold(Scored(trial_id=name, score={"right": 1.0, "half": 0.5}.get(kind)))
    return summary


@pytest.mark.parametrize(
    ("summary", "shown", "said"),
    [
        (stopped(56, 0, 2, 162), ["open-0", "open-1"], "38 more trials, 162 not started"),
        (stopped(20, 2, 0, 0), ["half-0", "half-1"], "2 more trials"),
        (stopped(0, 0, 2, 3, sealed=19), ["open-0", "open-1"], "1 more trial, 3 not started"),
        (stopped(0, 0, 2, 3), ["open-0", "open-1"], "3 not started"),
    ],
)
def test_open_trials_are_shown_and_the_rest_is_counted(
    summary: RunSummary, shown: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_report(summary, tmp_path / "id.jsonl")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert [line.split()[0] for line in lines[1:] if not line.startswith(" ")][: len(shown)] == shown
    assert said in lines


LEAF = {"name": "a", "is_dir": False, "children": []}


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        ({"name": "docs", "is_dir": True, "children": [LEAF]}, ["docs/", "  a"]),
        ({"name": "ada", "is_dir": True, "children": ["bob"]}, ["name: ada", "is_dir: true", "children: bob"]),
        ({"name": "ada", "is_dir": True, "children": None}, ["name: ada", "is_dir: true", "children: null"]),
        ({"paths": ["/a", "/b"], "truncated": False}, ["paths:", "/a", "/b", "truncated: false"]),
        ({"entries": [{"n": 1}, {"n": 2}]}, ["entries:", '{"n": 1}', '{"n": 2}']),
        ({"paths": []}, ["paths: []"]),
        ({}, ["(nothing)"]),
    ],
)
def test_a_result_of_a_call_is_shown_for_reading(
    result: dict[str, object], shown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    call = CallRecord(operation="look", arguments={}, result=result, elapsed_ms=1)
    step = StepDone(trial_id="t", step=1, reply="", calls=(call,))
    Page("step 1", 1, tuple(step_parts(step, {})), "end").print(Console(width=80), folded=False)
    lines = [each.rstrip() for each in capsys.readouterr().out.splitlines()]
    call_at = next(at for at, line in enumerate(lines) if "→ look()" in line)
    assert lines[call_at + 1 : -1] == [f"    {each}" for each in shown]


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
