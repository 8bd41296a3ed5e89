"""The arguments of SQLite's time functions, with a fixed time instead of the current one.

`date('now', '+1 day')` gets the arguments `'2027-03-01 10:00:00', '+1 day'`, and `date()`
gets `'2027-03-01 10:00:00'`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

Value: TypeAlias = str | bytes | int | float | None
"""A value of SQLite."""

TIME_ARGUMENTS: Final[Mapping[str, tuple[int, ...]]] = {
    "date": (0,),
    "time": (0,),
    "datetime": (0,),
    "julianday": (0,),
    "unixepoch": (0,),
    "strftime": (1,),  # The first argument is the format.
    "timediff": (0, 1),
}
"""SQLite's time functions, and the positions of the arguments that are times."""
SUBSECOND_WORDS: Final = ("subsec", "subsecond")
"""The words for the current time with fractions of a second: `time('subsec')`.

After a time, the same words ask for fractions of that time: `time('now', 'subsec')`. So
`time('subsec')` becomes `time('2027-03-01 10:00:00', 'subsec')`.
"""


def with_fixed_time(function: str, arguments: Sequence[Value], now: str) -> list[Value]:
    """Return the arguments of a time function, with `now` where they mean the current time."""
    fixed: list[Value] = []
    for position, value in enumerate(arguments):
        word = ""
        if position in TIME_ARGUMENTS[function]:
            word = _lower_word(value)
        if word == "now":
            fixed.append(now)
        elif word in SUBSECOND_WORDS:
            fixed += [now, word]
        else:
            fixed.append(value)
    if _lacks_time(function, len(arguments)):
        fixed.append(now)
    return fixed


def _lacks_time(function: str, argument_count: int) -> bool:
    """Return True if a call uses the current time because it has no time as an argument.

    Such calls are `date()` and `strftime('%Y')`. `timediff` always needs its times.
    """
    if function == "timediff":
        return False
    first_time_position = TIME_ARGUMENTS[function][0]
    return argument_count == first_time_position


def _lower_word(value: Value) -> str:
    """Return a text in lower case and only up to a NUL, as SQLite reads it: `NOW` -> `now`.

    For a number, the text is empty.
    """
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return ""
    return value.partition("\0")[0].lower()
