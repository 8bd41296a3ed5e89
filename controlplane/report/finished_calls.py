"""The calls of a trial that have an outcome, with their times."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import CallEvent
from controlplane.journal.journal_reader import RecordedTrial


def finished_calls(recorded: RecordedTrial) -> Iterator[CallEvent]:
    """Yield the calls of a trial in the order in which they came back; `at_ms` says when.

    A call that may change something is also announced before it is made. Announcements
    are left out.
    """
    for event in recorded.events():
        if isinstance(event, CallEvent) and not event.is_announcement:
            yield event
