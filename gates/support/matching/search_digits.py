"""Says which digits a line must contain if it states a value.

To find the lines that state a value, all lines are first searched for a few digits in a
row, which is quick. Only the lines found are then read and compared with the value. So the
digits may be in too many lines, but never in too few.

    value           searched for   because a line may state it as
    1,250.00 kg     `125`          `1 250 kg`, `1.25 t`
    12 March 2026   `12`           `12.3.`, `Mar 12`
    17:00           `17`, `5`      `17 h`, `5 pm`
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from controlplane.gates.support.matching.number_digits import digits_of_number
from controlplane.gates.values.value_kinds import Kind, WrittenValue, day_of_date

_SEARCHED_TELEPHONE_DIGITS: Final = 4


@lru_cache(maxsize=64)  # because one value is searched for in many sources
def search_digits(value: WrittenValue) -> tuple[str, ...]:
    """Return strings of which a line must contain at least one to state a value.

    A line that contains one may still state another value. Blanks and marks do not
    count: `1,250.00 kg` gives `125`, which is in `1 250 kg` and in `1.25 t`.
    """
    # `canonical` is the form that all spellings of a value share: `1250`, `2026-03-12`.
    match value.kind:
        case Kind.NUMBER:
            return tuple(dict.fromkeys(digits_of_number(value)))
        case Kind.DATE:
            # Only the day: a line may leave out the year, and write the month as a word.
            _month, day = day_of_date(value).split("-")
            return (str(int(day)),)
        case Kind.MONTH:
            # Only the last two digits of the year: a line may have `12.03.26` or `March 2026`.
            year, _month = value.canonical.split("-")
            return (year[-2:],)
        case Kind.TIME:
            return tuple(_search_digits_of_time(value))
        case Kind.URL:
            # Only the last part of the path: scheme and host may be spelled in several ways.
            last_part = value.canonical.rpartition("/")[2]
            return (_letters_and_digits(last_part),)
        case Kind.TELEPHONE:
            # Only the end: the code of the country may be missing, and `(0)` may be inserted.
            return (value.canonical[-_SEARCHED_TELEPHONE_DIGITS:],)
    return (_letters_and_digits(value.canonical),)


def _letters_and_digits(text: str) -> str:
    """Return the letters and digits of a text in lower case: `FA-19` -> `fa19`."""
    return "".join(character for character in text.casefold() if character.isalnum())


def _search_digits_of_time(value: WrittenValue) -> Iterator[str]:
    """Yield the minutes of a time, or a full hour: `17:10` -> `10`, `17:00` -> `17` and `5`.

    A full hour may be written without minutes: `17 h`, `5 pm`. If the time has a zone, the
    text may state it with the hour of another zone, so the minutes are searched for.
    """
    hour, minute = value.canonical.split(":")[:2]
    has_zone = value.unit != ""
    if minute != "00" or has_zone:
        yield minute
        return
    yield str(int(hour))
    hour_of_twelve = int(hour) % 12 or 12  # 0 and 12 are both written as 12
    if hour_of_twelve != int(hour):
        yield str(hour_of_twelve)
