"""Acts that a test does at an exact point of a run: when its fourth call, say, is announced.

A worker announces each call and each answer before it makes it, by an event. `Trigger(4, CallEvent,
act).see` is called with every event, and calls `act` at the fourth announcement of a call.
"""

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import AnswerSent, CallEvent
from controlplane.journal.run_events import JournalEvent

EventHook = Callable[[JournalEvent], object]
"""Is called with each event of a run."""


def ignore(event: JournalEvent) -> None:
    """Do nothing with an event."""


def is_announcement(event: JournalEvent) -> bool:
    """Return whether an event announces a call or an answer that is about to be made."""
    if isinstance(event, CallEvent):
        return event.is_announcement
    return isinstance(event, AnswerSent)


@dataclass
class Trigger:
    """Acts once the announcement of this type and number has come, such as the fourth call."""

    number: int
    event_type: type[JournalEvent]
    act: Callable[[], object]
    count: int = 0
    """How many announcements of the type have come."""

    def see(self, event: JournalEvent) -> None:
        if isinstance(event, self.event_type) and is_announcement(event):
            self.count += 1
            if self.count == self.number:
                self.act()
