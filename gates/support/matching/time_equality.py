"""Compares times of day: `17:10` with `17:10:05`, `17:10 CET` with `16:10 UTC`."""

from __future__ import annotations

from typing import Final

from controlplane.gates.support.matching.agreements import EQUAL, Agreement
from controlplane.gates.support.sources.sources import Source
from controlplane.gates.values.locale_names import ZONE_OFFSETS
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_MINUTES_A_DAY: Final = 24 * 60


def compare_times(
    stated: WrittenValue, found: WrittenValue, source: Source
) -> Agreement | None:
    """Compare two times of day. The `unit` of a time is its zone, or empty.

    - Both have the same zone, or only the text has one: the times must be equal.
    - They have different zones: the times must be the same moment.
    - Only the answer has a zone: the times must be equal,
      and the text must name the zone somewhere.
    """
    if found.kind is not Kind.TIME:
        return None
    if stated.unit and found.unit and stated.unit != found.unit:
        is_same_moment = _minutes_in_utc(stated) == _minutes_in_utc(found)
        return Agreement(found.text) if is_same_moment else None
    if stated.unit and not found.unit and not _names_zone(source, stated.unit):
        return None
    if found.canonical.startswith(stated.canonical):  # 17:10 is supported by 17:10:05
        return EQUAL
    return None


def _names_zone(source: Source, offset: str) -> bool:
    """Return True if a text names a time zone with an offset such as `+01:00`, on any line."""
    words = source.text.replace("(", " ").replace(")", " ").replace(",", " ").split()
    return any(ZONE_OFFSETS.get(word) == offset for word in set(words))


def _minutes_in_utc(time: WrittenValue) -> int:
    """Return the minutes since midnight in UTC: 910, which is 15:10, for `17:10` at `+02:00`."""
    hours, minutes = time.canonical.split(":")[:2]
    zone_hours, zone_minutes = time.unit[1:].split(":")
    offset = 60 * int(zone_hours) + int(zone_minutes)
    if time.unit[0] == "-":
        offset = -offset
    return (60 * int(hours) + int(minutes) - offset) % _MINUTES_A_DAY
