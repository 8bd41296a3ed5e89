"""Brings a new environment into a recorded state, by repeating the recorded calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from controlplane.agent.events import CallRecord, ModelReplied
from controlplane.agent.evidence import Tape, TapedModels
from controlplane.agent.evidence.tape.attempt import repeat_calls
from controlplane.agent.loop.trial_session import reply_of, texts_of
from controlplane.agent.model import ASK_ASIDE, ModelRequest, Reply
from controlplane.agent.trial_record import TrialRecord
from controlplane.benchmark import Trial
from controlplane.errors import ReplayDiverged
from controlplane.lifecycle.run_resources import RunResources


@contextmanager
def rebuilt_trial(
    trial_id: str, record: TrialRecord, resources: RunResources, *, only_changes: bool
) -> Iterator[Trial]:
    """Start a trial anew, and yield it once the recorded calls were repeated in its environment.

    With `only_changes` calls that only read are not repeated. Raises `BenchmarkError` if the trial
    does not start, and `ReplayDiverged` if its task or the outcome of a call is no longer the same.
    """
    trial = resources.benchmark.start_trial(trial_id)
    if record.has_other_instruction(trial.instruction):
        msg = "its task asks something else today"
        raise ReplayDiverged(msg)
    token = ASK_ASIDE.set(_recorded_side_replies(record))
    try:
        with resources.worker_of(trial):
            if record.initial_prompt is not None:
                _repeat_calls(trial, 0, record.initial_prompt.calls, only_changes=only_changes)
            for step in record.whole_steps:
                _repeat_calls(trial, step.number, step.calls, only_changes=only_changes)
            yield trial
    finally:
        ASK_ASIDE.reset(token)


def _repeat_calls(
    trial: Trial, step: int, calls: Sequence[CallRecord], *, only_changes: bool
) -> None:
    """Repeat the calls of a step. Raises `ReplayDiverged` if an outcome differs."""
    repeated_calls = repeat_calls(
        trial.environment,
        calls,
        only_changes=only_changes,
        repeats_all_calls=trial.repeats_all_calls,
    )
    for repeated in repeated_calls:
        if repeated.difference:
            name = repeated.recorded.operation
            msg = f"in step {step}, the call {name} {repeated.difference}"
            raise ReplayDiverged(msg)


def _recorded_side_replies(record: TrialRecord) -> Callable[[ModelRequest], Reply]:
    """Return a function that gives the recorded replies to the benchmark's requests to models."""
    models = TapedModels(Tape(record, is_replay=True))

    def recorded_reply(request: ModelRequest) -> Reply:
        def refuse() -> ModelReplied:
            msg = (
                f"the benchmark asks its model {request.role!r} something that is not in the record"
            )
            raise ReplayDiverged(msg)

        return reply_of(models.side_reply(request.role, texts_of(request), refuse))

    return recorded_reply
