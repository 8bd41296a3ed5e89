"""Reads the values of records: JSON, tables, and lines of keys and values.

    parse("id: 7\nstate: open, late")
    # (("id", "7"), ("state", "open"), ("state", "late"))

Prose has none. The texts come from unknown authors, so the work on each is bounded.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, TypeAlias

from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import bounds

Values: TypeAlias = tuple[tuple[str, str], ...]
"""The values of a record in order, as pairs of a name and a value: (`id`, `7`), (`fee`, `30`).

The name is a key of JSON with those around it (`verification.state`), the heading of a
column, or the key of a line.
"""

# `bounds` limits what all gates read of a text; these limits are for records alone.
_MOST_RECORD_VALUES: Final = 5_000
"""Values of one JSON text that are read."""
_MOST_RECORD_LEVELS: Final = 12
"""Levels of nested JSON that are read."""
_MOST_VALUE_CHARS: Final = 2_000
"""Characters of one value that are kept."""
_MOST_KEY_CHARS: Final = 41
"""A longer text before a colon is taken for a sentence."""
_MOST_COLUMNS: Final = 60
_SEPARATORS: Final = (",", "\t", "|", ";")
_TABLE_EXTENSIONS: Final = (".csv", ".tsv", ".psv")


@lru_cache(maxsize=256)
def parse(text: str, path: str = "") -> Values:
    """Return the values of a record; nothing for a text that is not one, or is too long.

    The form is seen from the text, except for a table, which looks like prose with commas. It is
    read only if the path has the extension `.csv`, `.tsv` or `.psv`.
    """
    if len(text) > bounds.MOST_RECORD_CHARS:
        return ()
    stripped = encodable(text).strip()
    if stripped.startswith(("{", "[")):
        return _parse_json(stripped)
    if path.lower().endswith(_TABLE_EXTENSIONS):
        return _parse_table(stripped)
    return _parse_lines(stripped)


# JSON


def _parse_json(text: str) -> Values:
    """Return the values of a JSON text; nothing if it is not JSON."""
    try:
        data = json.loads(text)
        return tuple(islice(_values_in(data, "", 0), _MOST_RECORD_VALUES))
    except (ValueError, RecursionError):
        return ()


def _values_in(data: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every value of decoded JSON after its dotted name; the items of a list share its name.

    `{"by": {"name": "Ada"}, "tags": ["x", "y"]}` ->
    (`by.name`, `Ada`), (`tags`, `x`), (`tags`, `y`)
    """
    if isinstance(data, dict | list) and depth >= _MOST_RECORD_LEVELS:
        return
    match data:
        case dict():
            for key, value in data.items():
                dotted_name = f"{name}.{key}" if name else str(key)
                yield from _values_in(value, dotted_name, depth + 1)
        case list():
            for value in data:
                yield from _values_in(value, name, depth + 1)
        case None:
            return
        case bool():
            yield name, str(data).lower()
        case _:
            yield name, str(data)[:_MOST_VALUE_CHARS]


# Lines of keys and values


def _parse_lines(text: str) -> Values:
    """Return the values of lines such as `key: value, value`, which make up a record.

    Skips blank lines, horizontal lines (`---`) and rows of tables (`|`). If any other line has
    no key, the text is prose: returns nothing.
    """
    values: list[tuple[str, str]] = []
    filled_lines = [line for line in text.splitlines() if line.strip()]
    for line in filled_lines[: bounds.MOST_RECORD_ROWS]:
        pairs = _pairs_of_line(line.strip())
        if not pairs and not line.startswith(("---", "|")):
            return ()
        values += pairs
    return tuple(values)


def _pairs_of_line(line: str) -> Values:
    """Return the values of a line with their key; nothing without a key.

    `state: open, late` -> (`state`, `open`), (`state`, `late`)
    """
    key, colon, value = line.partition(":")
    if key.endswith((" ", "\t")):  # `key : value`
        key = key[:-1]
    is_inside_word = value != "" and not value.startswith((" ", "\t"))  # `12:30`
    if not colon or is_inside_word or not _is_key(key):
        return ()
    return tuple((key, part.strip()) for part in value.split(","))


def _is_key(text: str) -> bool:
    """Return True if a text before a colon is a key rather than the beginning of a sentence."""
    if not text or len(text) > _MOST_KEY_CHARS:
        return False
    begins_with_letter = text[0].isascii() and text[0].isalpha()
    return begins_with_letter and all(char.isalnum() or char in "_ -" for char in text)


# Tables


def _parse_table(text: str) -> Values:
    """Return the cells of a table, each after the heading of its column.

    `id;fee` and `7;30` -> (`id`, `7`), (`fee`, `30`). Skips rows with more or fewer cells
    than the heading. Returns nothing if a heading does not begin with a letter.
    """
    first_row, *rows = _rows_of(text) or [[]]
    headings = [heading.strip() for heading in first_row]
    are_names = all(heading[:1].isalpha() for heading in headings)
    if not are_names or len(headings) > _MOST_COLUMNS:
        return ()
    values: list[tuple[str, str]] = []
    for row in rows:
        if len(row) == len(headings):
            for heading, cell in zip(headings, row, strict=True):
                values.append((heading, cell.strip()))
    return tuple(values)


def _rows_of(text: str) -> list[list[str]]:
    """Return the cells of each row; nothing if the text is not a table."""
    lines = text.splitlines()[: bounds.MOST_RECORD_ROWS + 1]
    if not lines:
        return []
    separator = max(_SEPARATORS, key=lines[0].count)  # the most frequent one
    try:
        return list(csv.reader(lines, delimiter=separator))
    except (csv.Error, ValueError):
        return []
