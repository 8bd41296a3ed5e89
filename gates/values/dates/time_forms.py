"""Reads times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.gates.values.dates.time_patterns import TIME_PATTERNS
from controlplane.gates.values.locale_names import TWELVE_HOUR_MARKS, ZONE_OFFSETS
from controlplane.gates.values.spans import Span
from controlplane.gates.values.value_forms import Form, FormGroup
from controlplane.gates.values.value_kinds import Kind, WrittenValue

_HOUR_SIGNS: Final = ("時", "时", "시")
"""`o'clock` in Japanese, Chinese and Korean."""
_DURATION_SIGNS: Final = ("間", "间", "간")
"""Signs that make a duration of hours: `18時間` is 18 hours, and `18時` is 18:00."""


def read_time(span: Span) -> list[WrittenValue]:
    """Read a time of day: `5:10 pm CET` -> 17:10 in the zone +01:00.

    `span.part("hour")` is what the group `hour` of the pattern matched. Returns nothing for a
    duration or an impossible time: `18時間` (18 hours), `17:65`.
    """
    # 1. The hour and the minute as they are written.
    if span.written[-1] in _HOUR_SIGNS and span.behind(1) in _DURATION_SIGNS:
        return []
    hour = int(span.part("hour"))
    minute = int(span.part("minute") or 0)
    if span.part("half_hour"):  # 半
        minute = 30
    if hour > 24 or minute > 59:
        return []

    # 2. The hour from 0 to 23.
    am_or_pm = span.part("am_or_pm").casefold()  # `a` or `p`
    daytime = span.part("daytime")  # such as 午後, "after noon"
    if am_or_pm or daytime:
        is_afternoon = am_or_pm == "p" or TWELVE_HOUR_MARKS.get(daytime, False)
        hour = hour % 12  # 12 am is midnight, 12 pm is noon
        if is_afternoon:
            hour += 12
    if hour == 24:  # 24:00 is the end of a day, and 00:00 the start of the next one
        hour = 0

    # 3. The value, whose unit is the zone.
    canonical = f"{hour:02d}:{minute:02d}"
    if span.part("second"):
        canonical += f":{span.part('second')}"
    value = span.value(Kind.TIME, canonical)
    return [replace(value, unit=_zone_offset(span.part("zone")))]


def _zone_offset(zone: str) -> str:
    """Return the offset of a zone: `CET` -> +01:00, `UTC+2` -> +02:00, `-0530` -> -05:30.

    Returns "" without a zone.
    """
    name = zone.strip().upper()
    if not name:
        return ""
    if name in ZONE_OFFSETS:
        return ZONE_OFFSETS[name]
    # A bare `UTC` has its own entry, so a sign and digits follow: `+2`, `-0530`, `+05:30`.
    offset = name.removeprefix("UTC").removeprefix("GMT").strip()
    sign = offset[0]
    digits = offset[1:].replace(":", "")
    has_minutes = len(digits) > 2
    hours = digits[:-2] if has_minutes else digits
    minutes = digits[-2:] if has_minutes else "00"
    return f"{sign}{hours.zfill(2)}:{minutes}"


# `is_alone`: a match counts only if no letter or digit touches it. `joining_marks`: nor may
# one of these marks join it to a digit: `10:20` is not read in `1.10:20`.

TIMES: Final = FormGroup(
    [
        Form(Kind.TIME, pattern, read_time, is_alone=True, joining_marks=":.")
        for pattern in TIME_PATTERNS
    ]
)
