"""How times of day are written, and their zones."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from controlplane.gates.values.locale_names import (
    TWELVE_HOUR_MARKS,
    ZONE_OFFSETS,
)
from controlplane.gates.values.value_kinds import Kind, Span, WrittenValue

_ZONE: Final = (
    r"(?P<zone>Z\b| ?(?:UTC|GMT)? ?[+-]\d{1,2}(?::?\d{2})?\b| (?:"
    + "|".join(ZONE_OFFSETS)
    + r")\b)?"
)
_HALF: Final = r"(?: ?(?P<half>[ap])\.?m\b\.?)?"
_DAYTIME: Final = "|".join(TWELVE_HOUR_MARKS)
TIME_PATTERNS: Final = (
    # 17:10, 17:10:05, 5:10 pm, 17:10 CET
    rf"(?i)(?:(?P<daytime>{_DAYTIME}) ?)?(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:[.,]\d+)?)?{_HALF}{_ZONE}",
    # 17h10, 17 h 10
    r"(?i)(?P<hour>\d{1,2}) ?h ?(?P<minute>\d{2})",
    # 9.30 Uhr, kl. 11.30, godz. 9.00, 11.30 a.m.
    r"(?i)(?P<hour>\d{1,2})\.(?P<minute>\d{2}) ?(?:uhr\b|uur\b|hod\b\.?|(?P<half>[ap])\.?m\b\.?)",
    r"(?i)\b(?:kl|godz|ore|klo|ob|godzinie|klokken|kello)\b\.? ?(?P<hour>\d{1,2})[.:](?P<minute>\d{2})",
    r"(?i)\b(?:kl|godz|klo|klokken|kello)\b\.? ?(?P<hour>\d{1,2})",
    # 9 Uhr, 9 a.m., 9 o'clock
    r"(?i)(?P<hour>\d{1,2}) ?(?:uhr\b|uur\b|o'clock\b|(?P<half>[ap])\.?m\b\.?)",
    # 17時10分, 午後5時, 오후 5시, 下午3点; 18時間 is a duration
    rf"(?:(?P<daytime>{_DAYTIME}) ?)?(?P<hour>\d{{1,2}}) ?[時时点點시](?: ?(?P<minute>\d{{1,2}}) ?[分분]|(?P<half_hour>半))?",
)


def read_time(span: Span) -> list[WrittenValue]:
    if span.written[-1] in "時时시" and span.behind(1) in ("間", "间", "간"):
        return []
    hour = int(span.part("hour"))
    minute = int(span.part("minute") or 0)
    if span.part("half_hour"):
        minute = 30
    if hour > 24 or minute > 59:
        return []
    half = span.part("half").casefold()
    daytime = span.part("daytime")
    is_afternoon = half == "p" or TWELVE_HOUR_MARKS.get(daytime, False)
    if half or daytime:
        hour = hour % 12
        if is_afternoon:
            hour += 12
    canonical = f"{hour % 24:02d}:{minute:02d}"
    if span.part("second"):
        canonical += f":{span.part('second')}"
    value = span.value(Kind.TIME, canonical)
    return [replace(value, unit=_zone_offset(span.part("zone")))]


def _zone_offset(zone: str) -> str:
    """Return the offset of `CET`, `Z`, `UTC+2` or `+02:00` in its canonical form; empty without
    a zone."""
    name = zone.strip().upper()
    if not name or name in ZONE_OFFSETS:
        return ZONE_OFFSETS.get(name, "")
    numbers = name.removeprefix("UTC").removeprefix("GMT").strip()
    digits = numbers[1:].replace(":", "")
    hours = digits if len(digits) < 3 else digits[:-2]
    minutes = "00" if len(digits) < 3 else digits[-2:]
    return f"{numbers[0]}{hours:0>2}:{minutes}"
