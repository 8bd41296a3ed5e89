"""Decides what happens to a recorded trial that its benchmark fails to start again.

A process was killed in a trial, and the next one asks the benchmark to start it once more. If
the benchmark refuses, the trial may have failed. But it may also have its answer already: the
first process was killed after it had sent it.
"""

from __future__ import annotations

from enum import Enum, auto

from controlplane.agent.failure_codes import failure_of
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.sandbox.interface import error_codes


class StartFailure(Enum):
    """What happens to a trial whose benchmark failed to start it."""

    IS_ANSWERED = auto()
    """The trial counts as answered: an earlier attempt sent an answer,
    and was killed before it could record the trial's end."""
    ENDED_BY_FALLBACK = auto()
    """The same, but the answer that was sent is the fallback answer."""
    MAY_BE_RESUMED = auto()
    """The trial stays open: it had begun, and a later attempt may be able to start it."""
    IS_FINAL = auto()
    """The trial has failed."""


def start_failure_of(record: TrialRecord, code: str) -> StartFailure:
    """Return what happens to a trial whose start failed with an error code.

    | error | the record has | the trial |
    |---|---|---|
    | `failed_precondition`: it has its answer already | the fallback answer | is ended by it |
    | the same | any other answer | is answered |
    | `unavailable`: the server does not answer | a start | may be resumed later |
    | any other | | has failed |
    """
    # The benchmark says that the trial has its answer already. The record has to agree.
    has_answer_already = code == error_codes.FAILED_PRECONDITION
    if record.answer is not None and has_answer_already:
        if record.answer.fallback:
            return StartFailure.ENDED_BY_FALLBACK
        return StartFailure.IS_ANSWERED
    if record.has_begun and failure_of(code).is_environment_fault:
        return StartFailure.MAY_BE_RESUMED
    return StartFailure.IS_FINAL
