import pytest

from agent.events import ModelReplied
from agent.model.model_protocol import Usage
from controlplane.journal.run_events import (
    AllottedTrial,
    JournalEvent,
    RunClosed,
    RunResumed,
    RunStarted,
    TrialStarted,
    Versions,
)
from controlplane.journal.run_summary import RunSummary
from controlplane.view.run_results import roles_object


def reply(cost_usd: float | None, prompt: int = 10, cached: int = 0, mode: str = "schema") -> ModelReplied:
    usage = Usage(prompt_tokens=prompt, completion_tokens=prompt and 5, cached_tokens=cached)
    return ModelReplied(trial_id="a", step=1, reply="", usage=usage, cost_usd=cost_usd, reply_mode=mode)


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


def folded(trials: str, *events: JournalEvent) -> RunSummary:
    summary = RunSummary()
    heads = tuple(AllottedTrial(trial_id=each, task_id=each) for each in trials.split())
    for event in (RunStarted(run_id="x", trials=heads), *events):
        summary.fold(event)
    return summary


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
