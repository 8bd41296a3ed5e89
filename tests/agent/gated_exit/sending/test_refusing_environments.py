"""The gates, which check each answer, accept an answer, and the environment refuses it.

What sends the answer is the exit's `outlet`. It keeps the answer that the gates `accepted`, and whether
the environment has one (`is_answered`). It `is_closed` if nothing more can be sent.
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
    assert recorded_error(events) == CallFailure(code="already_exists", message="no")


def test_an_answer_that_could_not_be_sent_does_not_count_as_sent() -> None:
    """The gates accept the answer, but the environment is out of order. The exit stays open, so
    that the answer can be sent again."""
    events: list[TrialEvent] = []
    gated_exit = exit_of(RefusingEnvironment("unavailable"), events)

    with pytest.raises(CallError, match="no"):
        gated_exit.submit(ACCEPTABLE)

    assert gated_exit.outlet.accepted is not None
    assert not gated_exit.outlet.is_answered
    assert not gated_exit.outlet.is_closed
    assert recorded_error(events) == CallFailure(code="unavailable", message="no")
