"""A changing call that contradicts the records is stopped once, before it reaches the environment.

A check reads the records before each changing call. A checkout of a basket with more pieces than the
store has fails with an error that names the basket's record and the page with the rule. If the solver
makes the same call again, it is sent.
"""

import pytest

from controlplane.agent.events import CallStopped
from controlplane.sandbox.interface import CallError
from tests.agent.loop.session.checkout_against_records import CheckoutAgainstRecords


def test_a_call_against_the_records_is_stopped_once_and_sent_when_repeated() -> None:
    """The error names the record and the page with the rule. A solver that makes the same call
    again has read it, and may know better."""
    trial = CheckoutAgainstRecords()

    with pytest.raises(CallError, match=r"make the same call again") as stopped:
        trial.check_out()
    assert f"{trial.basket_path} and /docs/" in stopped.value.message
    assert trial.sent_count == 0

    trial.check_out()
    assert trial.sent_count == 1


def test_a_stopped_call_and_its_repetition_are_journalled() -> None:
    """The second event says what became of the first call."""
    trial = CheckoutAgainstRecords()
    with pytest.raises(CallError) as stopped:
        trial.check_out()
    trial.check_out()
    trial.session.steps.end()

    first_stop, repetition = [
        event for event in trial.events if isinstance(event, CallStopped)
    ]
    assert first_stop.arguments["path"] == "/bin/checkout"
    assert first_stop.then == "not done"
    assert first_stop.objection == stopped.value.message
    assert repetition.arguments["path"] == "/bin/checkout"
    assert repetition.then == "repeated and sent"
    assert repetition.objection == ""


def test_a_record_that_only_the_check_has_read_does_not_count_as_read() -> None:
    """The check reads the record of the basket. The solver has not seen it, so it cannot cite
    it."""
    trial = CheckoutAgainstRecords()
    with pytest.raises(CallError):
        trial.check_out()
    trial.check_out()
    trial.session.steps.end()

    read_paths = trial.recorder.evidence_log.view().accesses

    assert trial.basket_path not in read_paths
