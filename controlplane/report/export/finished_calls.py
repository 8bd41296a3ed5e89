"""The calls of a trial that have an outcome, with their times."""

from __future__ import annotations

from collections.abc import Iterator

from controlplane.agent.events import CallEvent
from controlplane.journal.recorded_trial import RecordedTrial


def finished_calls(recorded: RecordedTrial) -> Iterator[CallEvent]:
    """Yield the calls of a trial in the order in which they ended, which was at `at_ms`.

    For a call that may change something, the journal also has an event from before it was
    made, the announcement. Announcements are left out.
    """
    for event in recorded.events():
        if isinstance(event, CallEvent) and not event.is_announcement:
            yield event
