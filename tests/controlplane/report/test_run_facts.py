from pathlib import Path

import pytest
from pydantic import JsonValue

from agent.events import Judged, StepDone, VerdictRecord
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.run_events import Setting
from controlplane.journal.run_summary import Objections, RunSummary, TrialSummary
from controlplane.report.run_pages import (
    SILENT,
    TrialFacts,
    failure_groups,
    run_facts,
    task_rows,
)
from controlplane.run_comparison import GateEffect, gate_effects
from tests.controlplane.report.reported_run import Played, journal


def judged(*verdicts: VerdictRecord) -> Judged:
    accepted = not any(verdict.result == "reject" and verdict.enforcement != "off" for verdict in verdicts)
    return Judged(accepted=accepted, answer="", outcome="", refs=(), message="", verdicts=verdicts)


def rejects(gate: int, name: str, *, enforcement: str = "block") -> VerdictRecord:
    return VerdictRecord(gate=gate, name=name, result="reject", reason="why", enforcement=enforcement)


def folded(*submissions: Judged) -> TrialFacts:
    run = RunSummary()
    run.fold(StepDone(trial_id="t", step=1, verdicts=submissions))
    return TrialFacts("a", 0, run.trials["t"])


def test_gates_switched_off_send_nothing_back() -> None:
    first = judged(rejects(4, "citations were read"), rejects(0, "ecom/return"), rejects(6, "class", enforcement="off"))
    found = folded(first, judged())
    assert found.summary.submissions == [Objections(("4", "ecom/return"), ()), Objections((), ())]
    assert found.times_sent_back == 1
    assert {each.key for each in gate_effects([found.summary])} == {A, B}


def test_an_accepted_submission_with_an_override_mends_nothing() -> None:
    override = VerdictRecord(gate=0, name="ecom/return", result="overridden", reason="why")
    (effect,) = gate_effects([folded(judged(rejects(0, "ecom/return")), judged(override)).summary])
    assert (effect.sent_back, effect.mended, effect.accepted) == (1, 0, 1)


def facts(name: str, *details: str, run: int = 0, score: float | None = 0.0, state: str = "answered") -> TrialFacts:
    summary = TrialSummary(name, name, state=state, score=score, details=details)
    return TrialFacts(f"trial-{run + 1}-{name}", run, summary)


def test_groups_hold_the_exact_words_and_count_each_trial_once_the_largest_first() -> None:
    trials = [
        facts("a", "missing /x", "missing /y", "late"),
        facts("b", "missing /z", run=1),
        facts("c", score=1.0),
        facts("d"),
        facts("e", "delivered avg 9.5 of 10", score=0.83),
    ]
    first, *others = failure_groups(trials, 2)
    assert (first.title, first.trials) == ("missing …", (1, 1))
    assert [words for _, words in first.failures] == ["missing /x", "missing /y", "missing /z"]
    assert [(other.title, other.trials) for other in others] == [("late", (1, 0)), (SILENT, (1, 0))]


KEYS = {"A": "4", "B": "ecom/return"}
A, B = KEYS.values()


def tried(name: str, *submissions: str, score: float | None = 1.0) -> TrialSummary:
    judged = [Objections(tuple(KEYS[name] for name in names), ()) for names in submissions]
    return TrialSummary(name, "t", state="answered", score=score, submissions=judged)


def test_the_next_submission_tells_whether_a_fault_was_mended() -> None:
    trials = [
        tried("a", "A", ""),
        tried("b", "AB", "B", "A", score=0.0),
        tried("c", "A", "A", "", score=None),
        tried("d", ""),
        tried("e"),
    ]
    assert gate_effects(trials) == (GateEffect(A, 5, 3, 3, 2, 1, 0), GateEffect(B, 2, 1, 1, 0, 0, 0))
    assert gate_effects(trials[2:])[0].right is None


def test_held_calls_are_counted_by_what_became_of_them_and_how_their_trials_ended() -> None:
    trials = [tried("a", ""), tried("b", "", score=0.0), tried("c", "")]
    for trial, ends in zip(trials, (("not done",), ("repeated and sent", "done otherwise"), ()), strict=True):
        trial.stopped = {("provenance", "pay", "", str(number)): end for number, end in enumerate(ends)}
    assert gate_effects(trials) == (GateEffect("provenance", 3, 2, 2, 2, 1, 0),)
    assert not gate_effects(trials[2:])


def played(task: str, score: float | None, outcome: str = "ok", state: str = "answered") -> TrialFacts:
    return TrialFacts("a", 0, TrialSummary(task, task, state=state, score=score, outcome=outcome))


@pytest.mark.parametrize(
    ("cells", "differs"),
    [
        ([[played("t", 1.0)], [played("t", 1.0)]], False),
        ([[played("t", 1.0)], [played("t", 0.5)]], True),
        ([[played("t", 1.0), played("t", 0.0)], []], True),
        ([[played("t", 1.0)], [played("t", None)]], False),
        ([[played("t", None, "ok")], [played("t", None, "denied")]], True),
        ([[played("t", None, "ok")], [played("t", None, "ok")]], False),
        ([[played("t", None, "ok")], [played("t", None, "", "running")]], False),
    ],
)
def test_a_task_differs_if_its_tries_do(cells: list[list[TrialFacts]], differs: bool) -> None:
    (row,) = task_rows(cells)
    assert row.differs is differs


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"model": "gpt-x", "benchmark": "folder:tasks", "set": {"a": "b c"}},
            "alpha.1 --benchmark folder:tasks --model gpt-x --set 'a=b c' --with gpt-x",
        ),
        ({"model": "baseline"}, None),
        ({"model": "recorded"}, None),
    ],
)
def test_a_failure_of_a_model_has_the_command_to_improve_it(
    tmp_path: Path, settings: dict[str, JsonValue], words: str | None
) -> None:
    with open_journal(journal(tmp_path / "a.jsonl", [Played("alpha.1", 0.0)])) as opened:
        run = run_facts(opened, 0, (), is_running=False)
        assert run.summary.opened is not None
        own = tuple(Setting(name=name, value=value, source="flag") for name, value in settings.items())
        run.summary.opened = run.summary.opened.model_copy(update={"settings": own})
        commands = [command for command, _ in run.commands(run.trials)]
        assert [each.partition("improve ")[2] for each in commands if " improve " in each] == ([words] if words else [])
        assert "fork" in commands[1]
        assert "--trial alpha.1-r0 --step 1" in commands[1]
