"""Parses texts that a trial read.

Fields come from JSON and `key: value` files, rows from CSV and lists in JSON. Anybody may have written the texts, so
the work is bounded, and a text in another format has no fields and no rows.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

MAX_CHARS: Final = 100_000
MAX_ROWS: Final = 2_000
_SEPARATORS: Final = (",", "\t", "|", ";")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The data in one text."""

    fields: Mapping[str, tuple[str, ...]]
    """Values by dotted name (`verification.state`); the values of a list share the list's name."""
    rows: tuple[Row, ...] = ()
    """Cells by column name."""
    is_whole: bool = True
    """False if the text also holds prose."""

    def all_values(self) -> Iterator[tuple[str, str]]:
        """Yield every value of fields and rows with its name."""
        yield from ((name, value) for name, held in self.fields.items() for value in held)
        yield from ((name, value) for row in self.rows for name, value in row.items())


NOTHING: Final = Parsed({}, is_whole=False)


@lru_cache(maxsize=256)
def parse(text: str, path: str = "") -> Parsed:
    """Return the fields and rows of a text; the extension of `path` tells separated values from prose."""
    if len(text) > MAX_CHARS:
        return NOTHING
    stripped = text.encode("utf-8", "replace").decode("utf-8").strip()
    ending = path.rpartition(".")[2].lower()
    if stripped[:1] in ("{", "["):
        try:
            return _from_data(json.loads(stripped))
        except (ValueError, RecursionError):
            return NOTHING
    if ending in ("csv", "tsv", "psv"):
        return Parsed({}, _separated_rows(stripped))
    return _with_key_values(stripped)


def _with_key_values(text: str) -> Parsed:
    """Return the fields of a text's `key: value` lines."""
    fields: dict[str, tuple[str, ...]] = {}
    prose = 0
    for line in islice(filter(str.strip, text.splitlines()), MAX_ROWS):
        name, colon, value = line.strip().partition(":")
        name = name[:-1] if name[-1:] in (" ", "\t") else name
        is_key = name[:1].isascii() and name[:1].isalpha() and len(name) <= 41
        if colon and is_key and value[:1] in ("", " ", "\t") and all(each.isalnum() or each in "_ -" for each in name):
            fields[name] = (*fields.get(name, ()), *(part.strip() for part in value.strip().split(",")))
        else:
            prose += not line.startswith(("---", "|"))
    return Parsed(fields, is_whole=not prose) if fields and (not prose or len(fields) > 1) else NOTHING


def _from_data(data: object) -> Parsed:
    fields: dict[str, list[str]] = {}
    for name, value in islice(_values(data, "", 0), 5_000):
        fields.setdefault(name, []).append(value[:2_000])
    mappings = [row for row in data[:MAX_ROWS] if isinstance(row, dict)] if isinstance(data, list) else []
    rows = tuple(
        {key: str(cell) for key, cell in row.items() if isinstance(cell, str | int | float)} for row in mappings
    )
    return Parsed({name: tuple(values) for name, values in fields.items() if name or not rows}, rows)


def _values(data: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every value of decoded JSON with its dotted name."""
    if isinstance(data, dict | list):
        pairs = data.items() if isinstance(data, dict) else ((None, value) for value in data)
        for key, value in pairs if depth < 12 else ():
            yield from _values(value, name if key is None else f"{name}.{key}" if name else str(key), depth + 1)
    elif data is not None:
        yield name, str(data).lower() if isinstance(data, bool) else str(data)


def _separated_rows(text: str) -> tuple[Row, ...]:
    lines = text.splitlines()[: MAX_ROWS + 1]
    separator = max(_SEPARATORS, key=lines[0].count) if lines else ","
    try:
        names, *rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)]
    except (csv.Error, ValueError):
        return ()
    is_table = len(names) <= 60 and all(name[:1].isalpha() for name in names)
    return tuple(dict(zip(names, row, strict=False)) for row in rows if len(row) == len(names)) if is_table else ()
