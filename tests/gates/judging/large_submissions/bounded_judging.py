"""Judging a submission with bounded work, and with a short message.

A script is written by a model and may submit megabytes of text, or thousands of facts. To compare
each part with all others would take billions of executed lines of Python.
"""

from __future__ import annotations

from tests.gates.judged_scratchpads import judge_scratchpad
from tests.support.executed_work import executed_lines


def message_after_bounded_judging(scratchpad: dict[str, object]) -> str:
    """Judge a submission. Return the message to the model, such as "[gate 8: …] …".

    Assert that at most 20 million lines of Python were executed; a submission of usual size takes
    32,000.
    """
    messages: list[str] = []
    lines = executed_lines(
        lambda: messages.append(judge_scratchpad(scratchpad).message)
    )

    assert lines < 20_000_000
    (message,) = messages
    return message
