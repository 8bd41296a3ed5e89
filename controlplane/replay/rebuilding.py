"""Brings a new environment into a recorded state, by repeating the recorded calls.

An environment may ask a model during a call, for example to simulate a user. It gets
the recorded replies here, and no model is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence import Tape
from controlplane.agent.evidence.resume import repeat_calls
from controlplane.agent.evidence.tape import RecordedSideReplies
from controlplane.agent.loop.trial_session import messages_of, reply_of
from controlplane.agent.model import ASK_SIDE_MODEL, ModelRequest, Reply
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import Trial
from controlplane.errors import ReplayDiverged
from controlplane.lifecycle.resources.run_resources import RunResources


@contextmanager
def rebuilt_trial(
    trial_id: str, record: TrialRecord, resources: RunResources, *, only_changes: bool
) -> Iterator[Trial]:
    """Start a trial anew, repeat the recorded calls in its environment, and yield the trial.

    With `only_changes`, calls that only read are not repeated. Raises `BenchmarkError`
    if the trial does not start, and `ReplayDiverged` if its task or the outcome of a
    call is no longer the same.
    """
    trial = resources.benchmark.start_trial(trial_id)
    if record.has_other_instruction(trial.instruction):
        msg = "its task asks something else today"
        raise ReplayDiverged(msg)
    # If the benchmark asks its models, it gets the recorded replies.
    token = ASK_SIDE_MODEL.set(_RecordedReplies(record).reply_to)
    try:
        with resources.sandbox.worker_of(trial):
            if record.initial_prompt is not None:
                _repeat_calls(
                    trial, 0, record.initial_prompt.calls, only_changes=only_changes
                )
            for step in record.whole_steps:
                _repeat_calls(trial, step.number, step.calls, only_changes=only_changes)
            yield trial
    finally:
        ASK_SIDE_MODEL.reset(token)


def _repeat_calls(
    trial: Trial, step: int, calls: Sequence[CallRecord], *, only_changes: bool
) -> None:
    """Repeat the calls of a step. Raises `ReplayDiverged` if an outcome differs."""
    repeats_reads = trial.repeats_all_calls or not only_changes
    for repeated in repeat_calls(trial.environment, calls, repeats_reads=repeats_reads):
        if repeated.difference:
            name = repeated.recorded.operation
            msg = f"in step {step}, the call {name} {repeated.difference}"
            raise ReplayDiverged(msg)


class _RecordedReplies:
    """The recorded replies to the requests of a trial's benchmark, each given once."""

    def __init__(self, record: TrialRecord) -> None:
        # A tape returns what it has recorded, in order.
        self._replies = RecordedSideReplies(Tape(record, is_replay=True))

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the next recorded reply in the role of a request.

        Raises `ReplayDiverged` if there is none.
        """
        role = request.role
        replied = self._replies.recorded_reply(role, messages_of(request))
        if replied is None:
            msg = f"the benchmark asks its model {role!r} something that is not in the record"
            raise ReplayDiverged(msg)
        return reply_of(replied)
