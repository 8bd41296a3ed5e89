"""Reads times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.gates.values.locale_names import TWELVE_HOUR_MARKS, ZONE_OFFSETS
from controlplane.gates.values.value_forms import Form, FormGroup
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

_ZONE_NAMES: Final = "|".join(ZONE_OFFSETS)
_ZONE_OFFSET: Final = r" ?(?:UTC|GMT)? ?[+-]\d{1,2}(?::?\d{2})?\b"
"""` UTC+2`, `+02:00`, `-0530`"""
_ZONE: Final = rf"(?P<zone>Z\b|{_ZONE_OFFSET}| (?:{_ZONE_NAMES})\b)?"
"""`Z`, ` UTC+2`, `+02:00`, ` CET`, or nothing."""
_AM_OR_PM: Final = r"(?P<am_or_pm>[ap])\.?m\b\.?"
"""`am`, `p.m.`; the group has the `a` or the `p`."""
_DAYTIME: Final = rf"(?:(?P<daytime>{'|'.join(TWELVE_HOUR_MARKS)}) ?)?"
"""`午後` (after noon), `오전` (before noon), or nothing."""
_HOUR: Final = r"(?P<hour>\d{1,2})"
_MINUTE: Final = r"(?P<minute>\d{2})"

_SECOND: Final = r"(?::(?P<second>\d{2})(?:[.,]\d+)?)?"
"""`:05`, `:05.250`, or nothing."""

_WITH_COLON: Final = (
    rf"(?i){_DAYTIME}{_HOUR}:{_MINUTE}{_SECOND}(?: ?{_AM_OR_PM})?{_ZONE}"
)
"""`17:10`, `17:10:05`, `5:10 pm`, `17:10 CET`"""
_WITH_H: Final = rf"(?i){_HOUR} ?h ?{_MINUTE}"
"""`17h10`, `17 h 10`"""
_WITH_POINT: Final = rf"(?i){_HOUR}\.{_MINUTE} ?(?:uhr\b|uur\b|hod\b\.?|{_AM_OR_PM})"
"""`9.30 Uhr`, `11.30 a.m.`"""

_CLOCK_WORDS: Final = "kl|godz|klo|klokken|kello"
"""Words for "o'clock", "hour" or "at" in several languages."""
_WORDS_BEFORE_MINUTES: Final = "ore|ob|godzinie"
"""Words that only introduce a time with minutes: `ore 9.30`. `ore 9` may be 9 of anything."""
_BEHIND_CLOCK_WORD: Final = (
    rf"(?i)\b(?:{_CLOCK_WORDS}|{_WORDS_BEFORE_MINUTES})\b\.? ?{_HOUR}[.:]{_MINUTE}"
)
"""`kl. 11.30`, `godz. 9.00`"""
_HOUR_BEHIND_CLOCK_WORD: Final = rf"(?i)\b(?:{_CLOCK_WORDS})\b\.? ?{_HOUR}"
"""`kl. 11`"""
_FULL_HOUR: Final = rf"(?i){_HOUR} ?(?:uhr\b|uur\b|o'clock\b|{_AM_OR_PM})"
"""`9 Uhr`, `9 a.m.`, `9 o'clock`"""
_EAST_ASIAN_MINUTE: Final = r"(?: ?(?P<minute>\d{1,2}) ?[分분]|(?P<half_hour>半))?"
"""`10分`, `5分` (unlike elsewhere, one digit will do), `半`, or nothing."""
_EAST_ASIAN: Final = rf"{_DAYTIME}{_HOUR} ?[時时点點시]{_EAST_ASIAN_MINUTE}"
"""`17時10分`, `午後5時半`, `오후 5시`, `下午3点`; 半 is half past."""

_HOUR_SIGNS: Final = ("時", "时", "시")
"""`o'clock` in Japanese, Chinese and Korean."""
_DURATION_SIGNS: Final = ("間", "间", "간")
"""Signs that make a duration of hours: `18時間` is 18 hours, and `18時` is 18:00."""

_PATTERNS: Final = (
    _WITH_COLON,
    _WITH_H,
    _WITH_POINT,
    _BEHIND_CLOCK_WORD,
    _HOUR_BEHIND_CLOCK_WORD,
    _FULL_HOUR,
    _EAST_ASIAN,
)
"""The patterns in the order in which they are tried, the more specific ones first."""


def read_time(span: Span) -> list[WrittenValue]:
    """Read a time of day: `5:10 pm CET` -> 17:10 in the zone +01:00.

    Returns nothing for a duration or an impossible time: `18時間` (18 hours), `17:65`.
    `span.part` returns what a named group of the pattern matched.
    """
    if span.written[-1] in _HOUR_SIGNS and span.behind(1) in _DURATION_SIGNS:
        return []
    hour = int(span.part("hour"))
    minute = int(span.part("minute") or 0)
    if span.part("half_hour"):  # 半
        minute = 30
    if hour > 24 or minute > 59:
        return []

    am_or_pm = span.part("am_or_pm").casefold()
    daytime = span.part("daytime")
    if am_or_pm or daytime:
        # `TWELVE_HOUR_MARKS` has True for words such as 午後, the time after noon.
        is_afternoon = am_or_pm == "p" or TWELVE_HOUR_MARKS.get(daytime, False)
        hour = hour % 12  # 12 am is midnight, 12 pm is noon
        if is_afternoon:
            hour += 12
    if hour == 24:  # 24:00 is the end of a day, and 00:00 the start of the next one
        hour = 0

    canonical = f"{hour:02d}:{minute:02d}"
    if span.part("second"):
        canonical += f":{span.part('second')}"
    value = span.value(Kind.TIME, canonical)
    zone = _zone_offset(span.part("zone"))  # the unit of a time is its zone
    return [replace(value, unit=zone)]


def _zone_offset(zone: str) -> str:
    """Return the offset of a zone: `CET` -> +01:00, `UTC+2` -> +02:00, `-0530` -> -05:30.

    Returns "" without a zone.
    """
    name = zone.strip().upper()
    if not name:
        return ""
    if name in ZONE_OFFSETS:
        return ZONE_OFFSETS[name]
    # The pattern has no bare `UTC`, so a sign and digits follow.
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
        for pattern in _PATTERNS
    ]
)
