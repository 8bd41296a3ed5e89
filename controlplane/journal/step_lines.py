"""How a line holds a step: by the numbers of its calls, citations and submissions, each in a line of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from agent.events import BY_NUMBER, JOINED, ConversationOpened, Event, StepDone
from agent.evidence import StepRecord

PARTS_OF_STEPS: Final = frozenset(
    {"call_sent", "call_done", "exit_call_sent", "exit_call_done", "citation", "model_replied", "submission_judged"}
)
"""The types of the events that a step holds by number, or that tell its reply."""


def _marked(kind: type[Event], mark: str) -> tuple[str, ...]:
    return tuple(name for name, each in kind.model_fields.items() if mark in each.metadata)


_BY_NUMBER: Final = {kind: _marked(kind, BY_NUMBER) for kind in (ConversationOpened, StepDone)}
_JOINED: Final = {kind: _marked(kind, JOINED) for kind in _BY_NUMBER}


def fields_to_write(event: Event) -> dict[str, Any]:
    """Return the fields of `event` as its line holds them."""
    kind = type(event)
    if kind not in _BY_NUMBER:
        return event.__dict__
    fields = {name: value for name, value in event.__dict__.items() if name not in _JOINED[kind]}
    return fields | {name: list(range(len(fields[name]))) for name in _BY_NUMBER[kind]}


def join(fields: dict[str, Any], step: StepRecord, *, calls: bool = True) -> None:
    """Put what `step` holds into the place of its numbers, without `calls` the verdicts and replies alone.

    Older journals hold it in place. Raises `ValueError` for a number that is missing.
    """
    parts: dict[str, Sequence[object]] = {
        "calls": step.calls,
        "citations": step.citations,
        "verdicts": step.submissions,
        "exit_calls": step.exit_calls,
    }
    for name, held in parts.items():
        numbers = fields.get(name)
        if not isinstance(numbers, list) or not all(isinstance(each, int) for each in numbers):
            continue
        fields[name] = _chosen(held, numbers, name) if calls or name == "verdicts" else ()
    if fields["type"] == "step" and "reply" not in fields:
        fields.update(step.told)


def _chosen(held: Sequence[object], numbers: Sequence[int], name: str) -> tuple[object, ...]:
    if any(not 0 <= each < len(held) for each in numbers):
        msg = f"it names {name} that are in no line before it"
        raise ValueError(msg)
    return tuple(held[each] for each in numbers)
