"""A stopped call is open until it is known what became of it."""

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    NOT_DONE,
    CallStopped,
)
from controlplane.agent.evidence.checks.stopped_calls import StoppedCalls


def stop(amount: int, *, outcome: str = NOT_DONE) -> CallStopped:
    return CallStopped(
        trial_id="t",
        step=1,
        number=0,
        operation="send",
        arguments={"amount": amount},
        by="provenance",
        objection="it is only in a mail" if outcome == NOT_DONE else "",
        then=outcome,
    )


def test_what_becomes_of_a_stopped_call_is_told_by_the_call_that_is_sent() -> None:
    calls = StoppedCalls()
    calls.add(stop(420))
    calls.add(stop(9000))
    first = calls.unsettled[0]

    assert calls.outcome(first, "send", {"amount": 420}) == DONE_ALL_THE_SAME
    assert calls.outcome(first, "send", {"amount": 50}) == DONE_OTHERWISE
    assert calls.outcome(first, "send", {"amount": 9000}) == NOT_DONE
    assert calls.outcome(first, "read", {"path": "/a.md"}) == NOT_DONE


def test_a_call_that_is_stopped_again_is_open_again() -> None:
    calls = StoppedCalls()
    calls.add(stop(420))
    calls.add(stop(420, outcome=DONE_OTHERWISE))
    assert calls.unsettled == []

    calls.add(stop(420))
    assert calls.unsettled == [stop(420)]
