"""Parses texts that a trial read.

Fields come from JSON and `key: value` files, rows from CSV and Markdown tables. Anybody may have written the
texts, so the work is bounded, and a text in another format has no fields and no rows.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

import re2

MAX_CHARS: Final = 100_000
MAX_ROWS: Final = 2_000
_SEPARATORS: Final = (",", "\t", "|", ";")
_TABLE_ROW: Final = re2.compile(r"(?m)^[ \t]*\|(.+)\|[ \t]*$")

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
    rows = _markdown_rows(stripped) if "|" in stripped else ()
    return _with_key_values(stripped, rows)


def _with_key_values(text: str, rows: tuple[Row, ...]) -> Parsed:
    """Return the fields of a text's `key: value` lines, together with the given rows."""
    fields: dict[str, tuple[str, ...]] = {}
    prose = 0
    for line in islice(filter(str.strip, text.splitlines()), MAX_ROWS):
        name, colon, value = line.strip().partition(":")
        name = name[:-1] if name[-1:] in (" ", "\t") else name
        is_key = name[:1].isascii() and name[:1].isalpha() and len(name) <= 41
        if colon and is_key and value[:1] in ("", " ", "\t") and all(each.isalnum() or each in "_ -" for each in name):
            fields[name] = (*fields.get(name, ()), *(part.strip() for part in value.strip().split(",")))
        else:
            prose += not (_TABLE_ROW.match(line) or line.startswith("---"))
    if not fields or (prose and len(fields) < 2):
        return Parsed({}, rows, is_whole=False)
    return Parsed(fields, rows, is_whole=not prose)


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
    if len(lines) < 2:
        return ()
    separator = max(_SEPARATORS, key=lines[0].count)
    try:
        header, *rows = csv.reader(lines, delimiter=separator)
    except (csv.Error, ValueError):
        return ()
    names = [name.strip() for name in header]
    if len(names) > 60 or not all(name[:1].isalpha() for name in names):
        return ()
    if any(len(row) != len(names) for row in rows):
        return ()
    return tuple(dict(zip(names, map(str.strip, row), strict=True)) for row in rows)


def _markdown_rows(text: str) -> tuple[Row, ...]:
    rows: list[Row] = []
    names: list[str] = []
    end = -1
    for line in islice(_TABLE_ROW.finditer(text), MAX_ROWS):
        cells = [cell.strip().strip("`") for cell in line[1].split("|")]
        if line.start() != end + 1:
            names = cells
        elif line[1].strip(" \t|:-") and len(cells) == len(names):
            rows.append(dict(zip(names, cells, strict=True)))
        end = line.end()
    return tuple(rows)
