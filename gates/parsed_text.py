"""Parses texts that a trial read into values with names.

Anybody may have written the texts, so the work is bounded, and a text that also holds prose has no values.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, TypeAlias

from gates.submission import encodable

MAX_CHARS: Final = 100_000
MAX_ROWS: Final = 2_000
_SEPARATORS: Final = (",", "\t", "|", ";")

Values: TypeAlias = tuple[tuple[str, str], ...]
"""Values in their order, each with its dotted name (`verification.state`), its column or its key."""


@lru_cache(maxsize=256)
def parse(text: str, path: str = "") -> Values:
    """Return the values of JSON, of separated values, which the extension of `path` tells from prose, or of lines of
    keys and values; none for any other text."""
    if len(text) > MAX_CHARS:
        return ()
    stripped = encodable(text).strip()
    if stripped[:1] in ("{", "["):
        try:
            return tuple(islice(_values_of(json.loads(stripped), "", 0), 5_000))
        except (ValueError, RecursionError):
            return ()
    is_table = path.lower().endswith((".csv", ".tsv", ".psv"))
    return _cells(stripped) if is_table else _values_by_key(stripped)


def _values_of(data: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every value of decoded JSON with its dotted name; those of a list share the list's name."""
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else ((None, value) for value in data)
        for key, value in pairs if depth < 12 else ():
            yield from _values_of(value, name if key is None else f"{name}.{key}" if name else str(key), depth + 1)
    elif data is not None:
        yield name, str(data).lower() if isinstance(data, bool) else str(data)[:2_000]


def _values_by_key(text: str) -> Values:
    values: list[tuple[str, str]] = []
    for line in islice(filter(str.strip, text.splitlines()), MAX_ROWS):
        name, colon, value = line.strip().partition(":")
        name = name[:-1] if name[-1:] in (" ", "\t") else name
        is_key = name[:1].isascii() and name[:1].isalpha() and len(name) <= 41
        if colon and is_key and value[:1] in ("", " ", "\t") and all(each.isalnum() or each in "_ -" for each in name):
            values += [(name, part.strip()) for part in value.split(",")]
        elif not line.startswith(("---", "|")):
            return ()
    return tuple(values)


def _cells(text: str) -> Values:
    lines = text.splitlines()[: MAX_ROWS + 1]
    separator = max(_SEPARATORS, key=lines[0].count) if lines else ","
    try:
        names, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    except (csv.Error, ValueError):
        return ()
    is_table = len(names) <= 60 and all(name[:1].isalpha() for name in names)
    whole = (row for row in rows if len(row) == len(names))
    return tuple(cell for row in whole for cell in zip(names, row, strict=True)) if is_table else ()
