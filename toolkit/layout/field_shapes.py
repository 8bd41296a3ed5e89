"""What a field's value is, by its form alone: an instant, a currency, an id, a state word, rows of stock."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeAlias

Data: TypeAlias = Mapping[str, Any]


class Shape(StrEnum):
    """The form of a value."""

    FLAG = "flag"
    NUMBER = "number"
    INSTANT = "instant"
    CURRENCY = "currency"
    MAIL = "mail"
    ID = "id"
    """A prefix and a number, such as `cust-0174`."""
    WORD = "word"
    """One word in lower case, such as a state."""
    TEXT = "text"
    WORDS = "words"
    ROWS = "rows"
    """Mappings in a list, perhaps none."""
    MAPPING = "mapping"
    NOTHING = "nothing"


_TEXTS: Final = (
    (Shape.INSTANT, re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")),
    (Shape.CURRENCY, re.compile(r"[A-Z]{3}")),
    (Shape.MAIL, re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")),
    (Shape.ID, re.compile(r"[A-Za-z]+[-_]\d+")),
    (Shape.WORD, re.compile(r"[a-z]+(?:[-_][a-z]+)*\d*")),
)


def shape_of(value: object) -> Shape:
    """Return the form of a value."""
    match value:
        case bool():
            return Shape.FLAG
        case int() | float():
            return Shape.NUMBER
        case str():
            return next((shape for shape, form in _TEXTS if form.fullmatch(value)), Shape.TEXT)
        case list() if value and all(isinstance(each, str) for each in value):
            return Shape.WORDS
        case list() if all(isinstance(each, dict) for each in value):
            return Shape.ROWS
        case dict():
            return Shape.MAPPING
    return Shape.NOTHING


def keys_of(data: Data, *shapes: Shape) -> list[str]:
    """Return the fields whose values have one of these forms, in the record's order."""
    return [key for key, value in data.items() if shape_of(value) in shapes]


def rows_of(data: Data, key: str) -> list[Data]:
    """Return the rows of a field; none if it holds something else."""
    found = data.get(key)
    return list(found) if isinstance(found, list) and shape_of(found) is Shape.ROWS else []


def every_row(samples: Sequence[Data]) -> Iterator[tuple[str, Data]]:
    """Yield field and row of every list of rows."""
    for data in samples:
        for key in keys_of(data, Shape.ROWS):
            yield from ((key, row) for row in rows_of(data, key))
