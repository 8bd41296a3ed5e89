"""A session in which the steps of a recorded trial run again, without an environment.

Calls get their recorded results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.loop import TrialSession
from controlplane.agent.loop.session.earlier_attempt import open_prompt
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.submission import GateSettings
from controlplane.replay.recording import Recording
from controlplane.sandbox import (
    Worker,
)
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, error_codes


@dataclass(frozen=True, slots=True)
class NoEnvironment:
    """Replaces the environment in a rerun. A call that has no recorded result raises an error."""

    tool_schema: ToolSchema

    def call(self, operation: str, arguments: object) -> dict[str, Plain]:
        msg = f"the record holds no result for {operation}({arguments})"
        raise CallError(error_codes.INTERNAL, msg)

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        msg = "nothing is answered from a record"
        raise CallError(error_codes.INTERNAL, msg)

    def now(self) -> datetime | None:
        return None


def session_on(
    tape: Tape, recording: Recording, worker: Worker, gates: GateSettings
) -> TrialSession:
    """Return a session, opened with the recorded prompt, whose calls get results from a tape.

    Two things are as in the recorded trial: the provenance policy (about values from untrusted
    text in calls), and, whatever `gates` says, whether the benchmark judges calls before they
    are made (the pre-call check).
    """
    environment = NoEnvironment(recording.tool_schema)
    recorder = new_recorder(
        recording.trial.trial_id, environment, _drop_event, worker=worker, tape=tape
    )
    session = TrialSession(recording.trial, recorder, gates)
    recorder.call_origins.policy = recording.provenance
    recorder.checks.environment_check.is_on = _was_checked(
        recording.record, recorder.pre_call_check.name
    )

    initial_prompt = recording.record.initial_prompt
    if initial_prompt is not None:
        open_prompt(session, lambda _recorder: initial_prompt)
    return session


def _drop_event(event: TrialEvent) -> None:
    """Do nothing: a rerun writes no journal."""


def _was_checked(record: TrialRecord, check_name: str) -> bool:
    """Return True if the trial used the pre-call check `check_name`.

    The check is an operation, so its calls are in the record.
    """
    if not check_name:
        return False
    for step in record.whole_steps:
        for call in step.calls:
            if call.operation == check_name:
                return True
    return False
