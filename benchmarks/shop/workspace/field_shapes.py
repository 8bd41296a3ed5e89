"""The shapes of values in JSON records: a number, a time, an id, a list of rows, and so on.

Shops choose the names of their fields, so a field is recognized by the shape of its value. For
example, a basket is a record with an instant (its creation) and rows (its lines):
`{"made": "2027-03-01T10:00:00Z", "lines": [{"sku": "AB-1", "count": 2}]}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeAlias

Data: TypeAlias = Mapping[str, Any]
"""The content of a record, or of a row in it."""


class Shape(StrEnum):
    """The form of a value."""

    FLAG = "flag"
    """`true`"""
    NUMBER = "number"
    """`12.5`"""
    INSTANT = "instant"
    """A date, perhaps with a time: `2027-03-01T10:00:00Z`."""
    CURRENCY = "currency"
    """`EUR`"""
    MAIL = "mail"
    """An address: `jan.vos@example.org`."""
    ID = "id"
    """A prefix and a number: `cust-0174`."""
    WORD = "word"
    """One word in lower case, such as a state: `checked_out`."""
    TEXT = "text"
    """Any other text."""
    WORDS = "words"
    """A list of texts: `["floor_lead", "cashier"]`."""
    ROWS = "rows"
    """A list of mappings: `[{"sku": "AB-1", "count": 2}]`. An empty list counts, too."""
    MAPPING = "mapping"
    """`{"colour": "sand"}`"""
    NOTHING = "nothing"
    """Null, or any other list."""


_TEXT: Final = re.compile(
    r"(?P<instant>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)"
    r"|(?P<currency>[A-Z]{3})"
    r"|(?P<mail>[^@\s]+@[^@\s]+\.[^@\s]+)"
    r"|(?P<id>[A-Za-z]+[-_]\d+)"
    r"|(?P<word>[a-z]+(?:[-_][a-z]+)*\d*)"
)
"""The shapes of texts. Each group of the pattern has the name of a shape, such as `currency`."""


def shape_of(value: object) -> Shape:
    """Return the shape of a value: `"EUR"` -> `Shape.CURRENCY`, `"basket_12"` -> `Shape.ID`."""
    match value:
        case str():
            text_match = _TEXT.fullmatch(value)
            # Exactly one named group has matched, and `lastgroup` is its name.
            if text_match is None or text_match.lastgroup is None:
                return Shape.TEXT
            return Shape(text_match.lastgroup)
        case bool():  # must come before int, because bool is a subclass of it
            return Shape.FLAG
        case int() | float():
            return Shape.NUMBER
        case dict():
            return Shape.MAPPING
        case list():
            return _shape_of_list(value)
    return Shape.NOTHING


def _shape_of_list(values: list[object]) -> Shape:
    """Return the shape of a list. An empty one counts as rows: a basket may have no lines."""
    types = {type(value) for value in values}
    if types == {str}:
        return Shape.WORDS
    if types <= {dict}:
        return Shape.ROWS
    return Shape.NOTHING


def keys_of(data: Data, shape: Shape) -> list[str]:
    """Return the fields whose values have this shape, in the order of the record.

    `{"id": "b_1", "count": 2, "sum": 9}`, `Shape.NUMBER` -> `["count", "sum"]`
    """
    return [key for key, value in data.items() if shape_of(value) is shape]


def first_key(data: Data, shape: Shape) -> str:
    """Return the first field whose value has this shape; empty if there is none."""
    keys = keys_of(data, shape)
    return keys[0] if keys else ""


def rows_of(data: Data, key: str) -> list[Data]:
    """Return the rows in a field; an empty list if the field contains no rows."""
    rows = data.get(key)
    if isinstance(rows, list) and shape_of(rows) is Shape.ROWS:
        return list(rows)
    return []


class Row(NamedTuple):
    """A row in a record: one of the mappings in a list, such as a line of a basket."""

    key: str
    """The field of the record whose value is the list: `lines`."""
    data: Data


def every_row(samples: Iterable[Data]) -> Iterator[Row]:
    """Yield all rows in some records, whatever fields list them.

    `{"id": "b_1", "lines": [{"sku": "AB-1"}]}` -> `Row("lines", {"sku": "AB-1"})`
    """
    for data in samples:
        for key in data:
            for row in rows_of(data, key):
                yield Row(key, row)
