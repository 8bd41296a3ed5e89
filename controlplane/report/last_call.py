"""The latest call of a trial, for the page of a running run."""

from __future__ import annotations

import contextlib
from typing import Final

from controlplane.agent.events import CallEvent
from controlplane.journal.line_parser import LineParser
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.journal.stored_texts import line_at
from controlplane.journal.totals.call_text import call_text

LINES_WITH_LAST_CALL: Final = 12
"""`last_call` searches this many of the last lines about a trial."""


def last_call(trial: RecordedTrial) -> str:
    """Return a short text for a trial's latest call; empty if its last lines contain no call."""
    journal = trial.journal
    # The bytes of the file at which the lines about this trial begin.
    places = journal.places.of_trial(trial.trial_id)
    for place in reversed(places[-LINES_WITH_LAST_CALL:]):
        # Ignore a damaged line here. The trial's own page shows the error.
        with contextlib.suppress(ValueError, KeyError):
            line = line_at(journal.file, place)
            # `with_calls=False`: the line of a whole step refers to the lines of its calls.
            # Leave them out, since only lines of single calls matter here.
            event = LineParser(journal.texts).event_of(line, with_calls=False)
            # A call that may change something has two lines: one that announces it, before
            # it is sent, and one with its outcome, which is ignored here. A call that only
            # reads has one line.
            if isinstance(event, CallEvent) and not event.was_announced:
                return call_text(event)
    return ""
