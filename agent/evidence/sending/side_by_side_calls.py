"""Makes several calls that only read side by side, if the environment allows it.

A function of the benchmark may ask for a hundred files at once. Sixteen reads run at a time, so that
they neither take as long as a hundred reads in a row, nor flood the environment. Each answer is at
the position of its call. Here there is no file `b`, and the third call was not allowed:

    make_side_by_side([read_a, read_b, refusal], sender)    `refusal` is a `CallError`
        -> [{"content": "fee: 7"}, CallError("no such file"), refusal]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.sending.call_sender import CallSender
from controlplane.sandbox.interface import CallError, Plain

MOST_AT_A_TIME: Final = 16
"""How many of the calls may run at a time."""

Answer: TypeAlias = Mapping[str, Plain] | CallError
"""The result of a call, or its error."""


def make_side_by_side(
    calls: Sequence[CallRecord | CallError], sender: CallSender
) -> list[Answer]:
    """Make the calls, and return an answer for each, in order.

    A call that was refused is given as its error, which is also its answer.
    """
    running: list[CallUnderWay] = []  # the calls that were sent, in order
    begun: list[CallUnderWay | CallError] = []
    try:
        for call in calls:
            if isinstance(call, CallError):
                begun.append(call)
                continue
            if len(running) >= MOST_AT_A_TIME:
                # Wait for the oldest of the last sixteen, as was done for each call before it.
                oldest = running[-MOST_AT_A_TIME]
                oldest.outcome()
            sent = sender.send(call, runs_beside_others=True)
            running.append(sent)
            begun.append(sent)
        return [_answer_to(call, sender) for call in begun]
    finally:
        sender.await_end(running)  # After an exception, some still run.


def _answer_to(call: CallUnderWay | CallError, sender: CallSender) -> Answer:
    """Wait for a call, record its outcome, and return its result or its error."""
    if isinstance(call, CallError):
        return call
    try:
        return sender.receive(call)
    except CallError as error:
        return error
