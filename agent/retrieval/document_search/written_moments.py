"""Reads the moment that a text names, such as `2031-06-30` or `2031-06-30T12:00+02:00`.

If the time zone is not known, `2031-06-30` may begin at any moment of 26 hours, the time that a
day needs to begin everywhere on earth. The first and the last of these moments are returned.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import re2

from controlplane.agent.retrieval.document_search.validity import Moment

DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
"""Matches a day, such as `2031-05-02`."""
_OFFSET: Final = re2.compile(r"([+-])(\d\d):(\d\d)")
"""Matches an offset from UTC, such as `+01:00`."""
# The time zones in which a day begins first and last: east and west of the date line.
EARLIEST_ZONE: Final = timezone(timedelta(hours=14))
LATEST_ZONE: Final = timezone(timedelta(hours=-12))


def zone_of(name: str) -> tzinfo | None:
    """Return the time zone for an offset or a name; None if it is empty or unknown.

    Such names are `+01:00`, `UTC` and `Europe/Lisbon`.
    """
    if name in ("Z", "UTC"):
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        distance = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-distance if offset[1] == "-" else distance)
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        return None


def moment_of(text: str, zone: tzinfo | None, *, is_end: bool) -> Moment | None:
    """Return the moment that a text names; None if it names none.

    `2031-06-30` means the begin of the day, or with `is_end` its end: the begin of 1 July.
    `zone` is the time zone of a text that names none; None if it is unknown.
    """
    try:
        date_time = datetime.fromisoformat(text)
    except ValueError:
        return None  # It is empty, or not a time.
    is_day = DAY.fullmatch(text) is not None
    if is_day and is_end:
        next_day = date_time.date() + timedelta(days=1)
        date_time = datetime.combine(next_day, time())

    if date_time.tzinfo is None and zone is not None:
        date_time = date_time.replace(tzinfo=zone)
    if date_time.tzinfo is not None:
        return Moment(earliest=date_time, latest=date_time)
    return Moment(
        earliest=date_time.replace(tzinfo=EARLIEST_ZONE),
        latest=date_time.replace(tzinfo=LATEST_ZONE),
    )
