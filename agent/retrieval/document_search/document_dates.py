"""Finds the period in which a document is in force, from its name and the fields at its top.

The document `/docs/2031-05-02-keys.md` is in force from 2 May on. If it begins with these
lines, it is in force until the end of 30 June:

    ---
    valid until: 2031-06-30
    ---
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

import re2

from controlplane.agent.retrieval.validity import Moment, Period
from controlplane.sandbox.interface import DocumentDates

_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
"""Matches a day in a document's name, such as `2031-05-02-keys.md`."""
_OFFSET: Final = re2.compile(r"([+-])(\d\d):(\d\d)")
"""Matches an offset from UTC, such as `+01:00`."""
MAX_FRONT_MATTER_LINES: Final = 60
"""A text is searched so far for the end of the fields at its top."""


def day_in_name(path: str) -> str:
    """Return the first day in the name of a file, such as `2031-05-02`; empty without one."""
    days = _DAY.findall(path.rpartition("/")[2])
    return str(days[0]) if days else ""


def has_date_keys(dates: DocumentDates) -> bool:
    """Return True if documents may give dates in the fields at their top."""
    return bool(dates.from_keys or dates.until_keys)


def period_of(dates: DocumentDates, path: str, text: str) -> Period:
    """Return the period of a document, from the fields at its top.

    If they give no begin, it begins on the day in its name.
    """
    zone = zone_of(dates.zone)
    fields = front_matter(text) if has_date_keys(dates) else {}
    begins = _first_moment(fields, dates.from_keys, zone, is_end=False)
    ends = _first_moment(fields, dates.until_keys, zone, is_end=True)
    if begins is None and dates.in_names:
        begins = _moment_of(day_in_name(path), zone, is_end=False)  # None without a day
    return Period(begins, ends)


def zone_of(name: str) -> tzinfo | None:
    """Return the time zone for an offset or a name; None if it is empty or unknown."""
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


def front_matter(text: str) -> dict[str, str]:
    """Return the fields at the top of a text; empty if it has none.

    They are lines `KEY: VALUE` between two lines `---`.
    """
    lines = text.splitlines()[:MAX_FRONT_MATTER_LINES]
    if not lines or lines[0].strip() != "---":
        return {}
    fields: dict[str, str] = {}
    for line in lines[1:]:
        if line.strip() == "---":
            return fields
        key, colon, value = line.partition(":")
        if colon:
            fields[key.strip().casefold()] = value.strip().strip("'\"")
    return {}


def _first_moment(
    fields: dict[str, str], keys: tuple[str, ...], zone: tzinfo | None, *, is_end: bool
) -> Moment | None:
    """Return the moment in the first of the fields that has one.

    The fields `{"valid until": "2031-06-30"}` and the key `valid until` give the end of
    that day.
    """
    for key in keys:
        value = fields.get(key.casefold(), "")
        moment = _moment_of(value, zone, is_end=is_end)
        if moment is not None:
            return moment
    return None


# The time zones in which a day begins first and last: east and west of the date line.
EARLIEST_ZONE: Final = timezone(timedelta(hours=14))
LATEST_ZONE: Final = timezone(timedelta(hours=-12))


def _moment_of(text: str, zone: tzinfo | None, *, is_end: bool) -> Moment | None:
    """Return the moment that a text names, such as `2031-06-30`; None if it names none.

    With `is_end`, a day without a time means the end of the day. If neither the text nor
    `zone` tells the time zone, the moment is only known to within 26 hours.
    """
    try:
        date_time = datetime.fromisoformat(text)
    except ValueError:
        return None  # It is empty, or not a time.
    is_day = _DAY.fullmatch(text) is not None
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
