import random
from collections.abc import Sequence

import pytest

from agent.events import Judged, ModelReplied, StepDone, VerdictRecord
from agent.model.model_protocol import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunClosed,
    RunResumed,
    RunStarted,
    Scored,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
    TrialStarted,
    Versions,
)
from controlplane.journal.run_summary import RunSummary, Spent, total
from controlplane.view.run_results import roles_object
from gates.verdict import GATE_NAMES


def reply(cost_usd: float | None, prompt: int = 10, cached: int = 0, mode: str = "schema") -> ModelReplied:
    usage = Usage(prompt_tokens=prompt, completion_tokens=prompt and 5, cached_tokens=cached)
    return ModelReplied(trial_id="a", step=1, reply="", usage=usage, cost_usd=cost_usd, reply_mode=mode)


def spent_on(*replies: ModelReplied) -> Spent:
    return total(map(Spent.on, replies))


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    known, unknown = spent_on(reply(0.5), reply(0.25)), spent_on(reply(0.5), reply(None))
    assert (known.cost_usd, unknown.cost_usd, unknown.known_usd) == (0.75, None, 0.5)
    assert total([known, unknown]).cost_usd is None
    assert total([known, known]).cost_usd == 1.5


def test_usage_of_each_role_is_summed_by_trial_and_run() -> None:
    summary = RunSummary()
    for trial_id, role in (("a", "solve"), ("a", "format"), ("b", "solve")):
        summary.fold(reply(0.25).model_copy(update={"trial_id": trial_id, "role": role}))
    told = {role: (each.replies, each.tokens, each.cost_usd) for role, each in summary.by_role.items()}
    assert told == {"solve": (2, 30, 0.5), "format": (1, 15, 0.25)}
    assert {role: each.replies for role, each in summary.trials["a"].by_role.items()} == {"solve": 1, "format": 1}
    assert roles_object(summary.by_role)["format"] == {"replies": 1, "tokens": 15, "cost_usd": 0.25}


VERSIONS = Versions(controlplane="1", python="3.11.0", gates="g", prompts="p")


def started(trial_id: str) -> TrialStarted:
    return TrialStarted(trial_id=trial_id, task_id=trial_id, instruction="do", now="2026-01-01", tool_schema="")


def ended(trial_id: str, score: float | None, how: str = "answered") -> Sequence[JournalEvent]:
    return (
        started(trial_id),
        TrialEnded.model_validate({"trial_id": trial_id, "how": how, "elapsed_ms": 1}),
        Scored(trial_id=trial_id, score=score),
    )


def rejected(trial_id: str, *gates: int, enforcement: str = "block", rule: str = "") -> StepDone:
    verdicts = tuple(
        VerdictRecord(gate=gate, name=rule or GATE_NAMES[gate], result="reject", reason="", enforcement=enforcement)
        for gate in gates
    )
    judged = Judged(accepted=False, answer="", outcome="", refs=(), message="no", verdicts=verdicts)
    return StepDone(trial_id=trial_id, step=1, reply="", verdicts=(judged,))


def folded(trials: str, *events: JournalEvent) -> RunSummary:
    summary = RunSummary()
    heads = tuple(AllottedTrial(trial_id=each, task_id=each) for each in trials.split())
    for event in (RunStarted(run_id="x", trials=heads), *events):
        summary.fold(event)
    return summary


def test_the_worst_comes_first_and_what_is_open_before_what_is_perfect() -> None:
    events = [
        ended("right", 1.0),
        ended("half", 0.5),
        ended("zero", 0.0),
        (*ended("sent-back", 0.0), rejected("sent-back", 4, 8)),
        ended("gave-up", 0.0, "fallback"),
        ended("sealed", None),
        (started("unstarted"), TrialFailed(trial_id="unstarted", phase="start", error="gone")),
        (started("unended"), TrialFailed(trial_id="unended", phase="end", error="gone")),
        (started("left"), TrialLeftOpen(trial_id="left", reason="interrupted")),
        (started("going"),),
    ]
    random.Random(3).shuffle(events)
    names = "right half zero sent-back gave-up sealed unstarted unended left going waiting"
    summary = folded(names, *(event for each in events for event in each))
    assert [each.task_id for each in summary.worst_first] == [
        "unstarted",
        "gave-up",
        "sent-back",
        "zero",
        "half",
        "left",
        "unended",
        "going",
        "sealed",
        "right",
        "waiting",
    ]
    assert summary.mean_score == pytest.approx(1.5 / 5)


@pytest.mark.parametrize(
    "event",
    [RunClosed(how="interrupted", exit_code=130), RunResumed(versions=VERSIONS)],
)
def test_trials_of_a_process_that_is_gone_are_open(event: JournalEvent) -> None:
    summary = folded("a b", started("a"), event)
    assert (summary.trials["a"].state, summary.trials["b"].state) == ("open", "waiting")
    assert not summary.running
    summary.fold(started("a"))
    assert (summary.trials["a"].state, summary.trials["a"].reason) == ("running", "")
