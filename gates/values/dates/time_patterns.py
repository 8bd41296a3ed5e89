"""The patterns of times of day: `17:10 CET`, `5.10 pm`, `9.30 Uhr`, `kl. 11.30`, `午後5時`.

They share these groups: `hour`, `minute`, `second`, `zone`, `am_or_pm` (`a` or `p`), `daytime`
(`午後`), and `half_hour` (`半`, which is half past).
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.locale_names import TWELVE_HOUR_MARKS, ZONE_OFFSETS

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
TIME_PATTERNS: Final = (
    _WITH_COLON,
    _WITH_H,
    _WITH_POINT,
    _BEHIND_CLOCK_WORD,
    _HOUR_BEHIND_CLOCK_WORD,
    _FULL_HOUR,
    _EAST_ASIAN,
)
"""The patterns in the order in which they are tried, the more specific ones first."""
