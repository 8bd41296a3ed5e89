"""Journals that somebody wrote again with a change, and with valid hashes, which anybody can compute.

Each function takes the lines of a journal, and returns its bytes with a change, for example without
this user's marks. Nothing shows in the hashes that there was a change.
"""

import json
from typing import Any

from tests.support.journals import chained_lines


def events_of(lines: list[bytes]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines]


def new_chain_without_marks(lines: list[bytes]) -> bytes:
    return chained_lines(events_of(lines))


def new_chain_without_first_event(lines: list[bytes]) -> bytes:
    return chained_lines(events_of(lines)[1:])


def other_version(lines: list[bytes]) -> bytes:
    """The first event says that the journal has a version that does not exist."""
    events = events_of(lines)
    events[0]["schema_version"] = 99
    return chained_lines(events)


def unknown_field_in_last_event(lines: list[bytes]) -> bytes:
    """The field `exit_code` has another name."""
    events = events_of(lines)
    events[-1]["leave_code"] = events[-1].pop("exit_code")
    return chained_lines(events)
