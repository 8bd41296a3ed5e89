"""What became of a call that a check stopped.

A check may object to a call of the model, which is then not sent. The call is open until a later
call shows what became of it: the model repeated it, did the same in another way, or left it. Here
`send(amount=420)` and `send(amount=9000)` were stopped.
"""

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    NOT_DONE,
    CallStopped,
)
from controlplane.agent.evidence.calls import StoppedCalls


def stop_of_sending(amount: int, *, outcome: str = NOT_DONE) -> CallStopped:
    """Return the event of a call `send(amount=...)` that was stopped, or what became of it later."""
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


SEND_420 = stop_of_sending(420)
SEND_9000 = stop_of_sending(9000)


def two_stopped_calls() -> StoppedCalls:
    stopped_calls = StoppedCalls()
    stopped_calls.add(SEND_420)
    stopped_calls.add(SEND_9000)
    return stopped_calls


def test_a_repeated_call_was_done_all_the_same() -> None:
    """The other stopped call stays open."""
    closed = two_stopped_calls().closed_by("send", {"amount": 420})

    assert closed == [(SEND_420, DONE_ALL_THE_SAME)]


def test_the_last_stopped_call_may_be_repeated_first() -> None:
    closed = two_stopped_calls().closed_by("send", {"amount": 9000})

    assert closed == [(SEND_9000, DONE_ALL_THE_SAME)]


def test_a_call_with_other_arguments_takes_the_place_of_all_stopped_ones() -> None:
    """What they would have done is done in another way, by `send(amount=50)`."""
    closed = two_stopped_calls().closed_by("send", {"amount": 50})

    assert closed == [(SEND_420, DONE_OTHERWISE), (SEND_9000, DONE_OTHERWISE)]


def test_a_call_of_another_operation_closes_no_stopped_call() -> None:
    assert two_stopped_calls().closed_by("read", {"path": "/a.md"}) == []


def test_a_call_that_is_stopped_again_is_open_again() -> None:
    stopped_calls = StoppedCalls()
    stopped_calls.add(SEND_420)
    stopped_calls.add(stop_of_sending(420, outcome=DONE_OTHERWISE))
    assert stopped_calls.closed_by("send", {"amount": 420}) == []

    stopped_calls.add(SEND_420)

    closed = stopped_calls.closed_by("send", {"amount": 420})
    assert closed == [(SEND_420, DONE_ALL_THE_SAME)]
