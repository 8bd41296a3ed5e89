"""The gates, which check each answer, accept an answer, and the environment refuses it.

An answer is submitted to the *exit* of the trial, and its `outlet` sends an accepted answer:

    outlet.accepted      the answer that the gates have accepted
    outlet.is_answered   True if the environment has an answer now
    outlet.is_closed     True if no further answer can be submitted
"""

from collections.abc import Sequence

import pytest

from controlplane.agent.events import AnswerDone, CallFailure, TrialEvent
from controlplane.sandbox.interface import CallError
from tests.agent.gated_exit.sending.trial_exits import (
    ACCEPTABLE,
    RefusingEnvironment,
    exit_of,
)


def recorded_error(events: Sequence[TrialEvent]) -> CallFailure | None:
    """Return the error of the answer that was sent last, as the journal has it."""
    last_event = events[-1]
    assert isinstance(last_event, AnswerDone)
    return last_event.error


def test_an_answer_that_the_environment_already_has_counts_as_sent() -> None:
    """An answer is sent a second time if the reply to the first sending was lost. The
    environment then refuses it with the code `already_exists`."""
    events: list[TrialEvent] = []
    gated_exit = exit_of(RefusingEnvironment("already_exists"), events)

    gated_exit.submit(ACCEPTABLE)

    assert gated_exit.outlet.accepted is not None
    assert gated_exit.outlet.is_answered
    assert gated_exit.outlet.is_closed
    assert recorded_error(events) == CallFailure(
        code="already_exists", message="refused"
    )


def test_an_answer_that_could_not_be_sent_does_not_count_as_sent() -> None:
    """The environment is out of order. The exit stays open, and the answer can be sent again."""
    events: list[TrialEvent] = []
    gated_exit = exit_of(RefusingEnvironment("unavailable"), events)

    with pytest.raises(CallError, match="refused"):
        gated_exit.submit(ACCEPTABLE)

    assert gated_exit.outlet.accepted is not None
    assert not gated_exit.outlet.is_answered
    assert not gated_exit.outlet.is_closed
    assert recorded_error(events) == CallFailure(code="unavailable", message="refused")
