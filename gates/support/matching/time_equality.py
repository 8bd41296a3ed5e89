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
    """Compare two times of day.

    | stated      | supported by | if                             |
    | ----------- | ------------ | ------------------------------ |
    | `17:10`     | `17:10:05`   | always                         |
    | `17:10`     | `17:10 CET`  | always                         |
    | `17:10 CET` | `16:10 UTC`  | both are the same moment       |
    | `17:10 CET` | `17:10`      | the text names CET on any line |
    """
    if found.kind is not Kind.TIME:
        return None
    stated_zone = stated.unit
    found_zone = found.unit
    if stated_zone and found_zone and stated_zone != found_zone:
        is_same_moment = _minutes_in_utc(stated) == _minutes_in_utc(found)
        return Agreement(found.text) if is_same_moment else None
    if stated_zone and not found_zone and not _names_zone(source, stated_zone):
        return None
    if found.canonical.startswith(stated.canonical):
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
