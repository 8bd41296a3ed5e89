"""What became of a call that a check stopped.

A check may object to a call of the model, which is then not sent. The call is open until a later
call shows what became of it: the model repeated it, did the same in another way, or left it.
"""

from __future__ import annotations

from controlplane.agent.events import (
    DONE_ALL_THE_SAME,
    DONE_OTHERWISE,
    NOT_DONE,
    CallStopped,
)
from controlplane.agent.evidence.calls.stopped_calls import StoppedCalls


def stop_of_sending(amount: int, *, outcome: str = NOT_DONE) -> CallStopped:
    """Return the event of a call `send(amount=…)` that was stopped.

    With another `outcome` than `NOT_DONE`, it is the later event that tells what became of the call.
    """
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


def test_a_later_call_shows_what_became_of_a_stopped_one() -> None:
    """The calls `send(amount=420)` and `send(amount=9000)` were stopped. `closed_by` says which of
    them a later call closes, and how."""
    send_420 = stop_of_sending(420)
    send_9000 = stop_of_sending(9000)
    stopped_calls = StoppedCalls()
    stopped_calls.add(send_420)
    stopped_calls.add(send_9000)

    # A call that repeats one of them closes only this one.
    assert stopped_calls.closed_by("send", {"amount": 420}) == [
        (send_420, DONE_ALL_THE_SAME)
    ]
    assert stopped_calls.closed_by("send", {"amount": 9000}) == [
        (send_9000, DONE_ALL_THE_SAME)
    ]
    # A call with an amount that was not stopped takes the place of both.
    assert stopped_calls.closed_by("send", {"amount": 50}) == [
        (send_420, DONE_OTHERWISE),
        (send_9000, DONE_OTHERWISE),
    ]
    # A call of another operation has nothing to do with them.
    assert stopped_calls.closed_by("read", {"path": "/a.md"}) == []


def test_a_call_that_is_stopped_again_is_open_again() -> None:
    """The call was done in another way, and later made again as it was."""
    stopped_calls = StoppedCalls()
    stopped_calls.add(stop_of_sending(420))
    stopped_calls.add(stop_of_sending(420, outcome=DONE_OTHERWISE))
    assert stopped_calls.open_stops == []

    stopped_again = stop_of_sending(420)
    stopped_calls.add(stopped_again)

    assert stopped_calls.open_stops == [stopped_again]
