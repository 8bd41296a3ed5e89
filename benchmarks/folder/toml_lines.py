"""Finds the line of a TOML text on which a key stands, so that a message can name it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

Location = tuple[str | int, ...]
"""A key with the keys and indices above it, such as `("tool", 0, "path")`."""

HEADER: Final = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY: Final = re.compile(r"""\s*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*)\s*=""")
PART: Final = re.compile(r"""[\w-]+|"([^"\n]*)"|'([^'\n]*)'""")
QUOTES: Final = re.compile(r'"""|\'\'\'')


def line_of(text: str, location: Sequence[str | int]) -> int:
    """Return the line, counted from 1, of the key at `location`, or of the nearest one above it that is written."""
    best, line = 0, 1
    for number, written in _written(text):
        shared = _shared(written, tuple(location))
        if shared == len(written) and shared > best:
            best, line = shared, number
    return line


def _shared(left: Location, right: Location) -> int:
    pairs = zip(left, right, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))


def _written(text: str) -> Iterator[tuple[int, Location]]:
    """Yield line and location of every header and key. Lines inside a string of several lines hold neither."""
    table: Location = ()
    indices: dict[Location, int] = {}
    closing = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if closing:
            closing = "" if closing in line else closing
            continue
        header, key = HEADER.match(line), KEY.match(line)
        if header:
            table = _table(header[1] == "[[", _parts(header[2]), indices)
            yield number, table
        elif key:
            yield number, (*table, *_parts(key[1]))
            quotes = QUOTES.findall(line)
            closing = quotes[0] if quotes and quotes.count(quotes[0]) % 2 else ""


def _parts(written: str) -> list[str]:
    return [each[1] or each[2] or each[0].strip("\"'") for each in PART.finditer(written)]


def _table(is_array: bool, parts: list[str], indices: dict[Location, int]) -> Location:
    """Return the location of a header; tables of an array are counted in `indices`."""
    found: Location = ()
    for at, part in enumerate(parts):
        found = (*found, part)
        if is_array and at == len(parts) - 1:
            indices[found] = indices.get(found, -1) + 1
            for below in [each for each in indices if len(each) > len(found) and each[: len(found)] == found]:
                if indices[found] > 0 and below[len(found)] == indices[found]:
                    del indices[below]
        if found in indices:
            found = (*found, indices[found])
    return found
