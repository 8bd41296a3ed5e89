import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.events import Judged, ModelAsked, ModelReplied, Noticed, StepDone, VerdictRecord
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
from tests.support.recorded_events import read_events


def reply(cost_usd: float | None, prompt: int = 10, cached: int = 0, mode: str = "schema") -> ModelReplied:
    usage = Usage(prompt_tokens=prompt, completion_tokens=prompt and 5, cached_tokens=cached)
    return ModelReplied(trial_id="a", step=1, reply="", usage=usage, cost_usd=cost_usd, reply_mode=mode)


def spent_on(*replies: ModelReplied) -> Spent:
    spent = Spent()
    for each in replies:
        spent.add(each)
    return spent


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    known, unknown = spent_on(reply(0.5), reply(0.25)), spent_on(reply(0.5), reply(None))
    assert (known.cost_usd, unknown.cost_usd, unknown.known_usd) == (0.75, None, 0.5)
    assert total([known, unknown]).cost_usd is None
    assert total([known, known]).cost_usd == 1.5


def test_an_endpoint_that_counts_nothing_is_not_free() -> None:
    assert spent_on(reply(None, prompt=0)).cost_usd is None


def test_what_each_role_took_is_summed_up_by_trial_and_run() -> None:
    summary = RunSummary()
    for trial_id, role in (("a", "solve"), ("a", "format"), ("b", "solve")):
        summary.fold(reply(0.25).model_copy(update={"trial_id": trial_id, "role": role}))
    told = {role: (each.replies, each.tokens, each.cost_usd) for role, each in summary.by_role.items()}
    assert told == {"solve": (2, 30, 0.5), "format": (1, 15, 0.25)}
    assert {role: each.replies for role, each in summary.trials["a"].by_role.items()} == {"solve": 1, "format": 1}
    assert roles_object(summary.by_role)["format"] == {"replies": 1, "tokens": 15, "cost_usd": 0.25}


FIXTURES = Path(__file__).with_name("fixtures")

VERSIONS = Versions(controlplane="1", python="3.11.0", gates="g", prompts="p")


def started(trial_id: str) -> TrialStarted:
    return TrialStarted(trial_id=trial_id, task_id=trial_id, instruction="do", now="2026-01-01", surface="")


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


def test_totals_are_kept_while_they_grow() -> None:
    reply = ModelReplied(
        trial_id="a", step=1, reply="", usage=Usage(prompt_tokens=10, completion_tokens=5), cost_usd=0.5
    )
    events = [
        started("a"),
        reply,
        reply.model_copy(update={"trial_id": "b", "cost_usd": None}),
        rejected("a", 4, 5),
        rejected("b", 4),
        rejected("b", 6, enforcement="off"),
        rejected("b", 0, rule="pack/rule"),
        Noticed(trial_id="a", text="HTTP 503; asking again", retry=True),
        Noticed(trial_id="a", text="the sandbox was made again"),
    ]
    summary = folded("a b", *events)
    assert (summary.tokens, summary.spent.known_usd, summary.retries) == (30, 0.5, 1)
    # The price of b's reply is unknown, and so is the sum.
    assert (summary.cost_usd, summary.trials["a"].cost_usd, summary.trials["b"].cost_usd) == (None, 0.5, None)
    assert (dict(summary.rejections), summary.trials["a"].tokens) == (
        {"4": 2, "5": 1, "pack/rule": 1},
        15,
    )
    assert summary.notices == ["HTTP 503; asking again", "the sandbox was made again"]
    assert list(summary.running) == ["a"]


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


def test_a_step_counts_once_the_model_has_replied_as_in_a_replay() -> None:
    asked = ModelAsked(trial_id="a", step=1, messages=2)
    cut = TrialLeftOpen(trial_id="a", reason="the run's $1 are used up (--run-cost)")
    replied = ModelReplied(trial_id="a", step=1, reply="")
    assert [folded("a", started("a"), *events, cut).trials["a"].step for events in ((asked,), (asked, replied))] == [
        0,
        1,
    ]


def test_a_kept_reply_costs_nothing() -> None:
    assert spent_on(reply(0.5), reply(None).model_copy(update={"cached": True, "usage": Usage()})).cost_usd == 0.5


def test_a_resumed_run_has_not_ended() -> None:
    summary = folded("a", RunClosed(how="failed", exit_code=3, error="no route"))
    assert (summary.closed, summary.error) == ("failed", "no route")
    summary.fold(RunResumed(versions=VERSIONS, at_ms=5))
    assert (summary.closed, summary.error, summary.began_ms) == ("", "", 5)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_what_is_noted_of_events_makes_the_same_summary(path: Path) -> None:
    whole, noted = RunSummary(), RunSummary()
    for event in [*read_events(path), rejected("t1", 3, 6), *ended("t1", 0.5)]:
        whole.fold(event)
        if (taken := RunSummary.noted(event)) is not None:
            noted.fold(taken)
    assert noted == whole
    assert whole.rejections


def test_the_time_of_a_trial_that_was_left_open_and_resumed_counts_both_attempts() -> None:
    summary = RunSummary()

    def started(at_ms: int) -> TrialStarted:
        return TrialStarted(trial_id="a", task_id="t", instruction="", now="", surface="", at_ms=at_ms)

    for event in (
        started(1000),
        TrialLeftOpen(trial_id="a", reason="interrupted", at_ms=4000),
        TrialLeftOpen(trial_id="a", reason="could not start", at_ms=60_000),
        RunResumed(versions=VERSIONS, at_ms=90_000),
        started(91_000),
        TrialEnded(trial_id="a", how="answered", reason="", elapsed_ms=2000.0, at_ms=93_000),
    ):
        summary.fold(event)
    assert summary.trials["a"].elapsed_ms == 5000.0
