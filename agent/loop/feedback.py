"""What a model is told after its turn, as pieces: long texts stay whole pieces, so that a journal stores them once."""

from __future__ import annotations

from collections.abc import Sequence

from agent.events.call_records import Judged
from agent.loop.budget import Budget
from agent.loop.prompt_texts import Prompts
from sandbox import StepResult

TIME_WARNING_S = 60.0
"""Seconds before the end of a trial's time from which it is told."""

MOST_NOTES = 20
"""Notes on calls and changes that one message holds."""


def step_feedback(step: int, result: StepResult, judged: Sequence[Judged], notes: Sequence[str]) -> tuple[str, ...]:
    """Return the message after a script: its output, what ended it, what the gates said."""
    pieces = [f'<output step="{step}">\n', result.output]
    pieces.append("</output>\n" if result.output.endswith("\n") or not result.output else "\n</output>\n")
    if result.error:
        pieces.append(f"<error>\n{result.error}\n</error>\n")
    rejections = [each.message for each in judged if not each.accepted and each.message not in result.error]
    if rejections:
        pieces.append("<gates>\n" + "\n".join(rejections) + "\n</gates>\n")
    if notes:
        pieces.append("<notes>\n" + "\n".join(_shown(notes)) + "\n</notes>\n")
    return tuple(pieces)


def _shown(notes: Sequence[str]) -> list[str]:
    """Return each note once, and count those beyond the first."""
    each = list(dict.fromkeys(notes))
    rest = len(each) - MOST_NOTES
    return each if rest <= 0 else [*each[:MOST_NOTES], f"… and {rest} more notes."]


def budget_notices(budget: Budget, prompts: Prompts) -> tuple[str, ...]:
    """Return what a model is told of its budget after a turn, mostly nothing."""
    notices = []
    name = budget.notice()
    if name:
        notices.append(prompts.filled(name, left=budget.left))
    if budget.seconds_left < TIME_WARNING_S:
        notices.append(prompts.filled("time", seconds=max(0, round(budget.seconds_left / 10) * 10)))
    return tuple(notices)
