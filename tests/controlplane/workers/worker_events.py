"""Events that the workers of a cluster send to the run, which writes them to its journal."""

from __future__ import annotations

from collections.abc import Callable

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.journal.run_events import JournalEvent

WriteEvent = Callable[[JournalEvent], None]


def write_only(event: JournalEvent, write: WriteEvent) -> None:
    """Write an event, as a run does without a test."""
    write(event)


def announced_change(event: JournalEvent) -> str:
    """Return the change that an event announces: "write" or "answer"; empty for any other event.

    A worker announces a change, and makes it when the announcement is written.
    """
    if isinstance(event, AnswerSent):
        return "answer"
    if isinstance(event, CallEvent) and event.is_announcement:
        return event.operation
    return ""
