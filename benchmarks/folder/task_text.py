"""Reads the text of a task.toml in an aide: TOML, the patterns in it, and the lines of its keys. Anybody may have
written it: its author's mistakes are told with their line, and what takes too long ends the aide alone."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sandbox.interface import Plain

Location = tuple[str | int, ...]
"""A key with the keys and indices above it, such as `("tool", 0, "path")`."""

MOST_PATTERN_CHARS: Final = 1_000
PATTERNS: Final = ("args", "pattern")
"""The keys whose values are patterns."""
SYNTAX_LINE: Final = re.compile(r"at line (\d+)")
HEADER: Final = re.compile(r"\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
KEY: Final = re.compile(r"""\s*((?:[\w-]+|"[^"\n]*"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|"[^"\n]*"|'[^'\n]*'))*)\s*=""")
PART: Final = re.compile(r"""[\w-]+|"([^"\n]*)"|'([^'\n]*)'""")
QUOTES: Final = re.compile(r'"""|\'\'\'')


def read_task(text: str) -> list[Plain]:
    """Return the data of a text, and what each pattern in it is: its number of groups, or why it is not a pattern.

    For a text that is not TOML it is the line and the reason.
    """
    try:
        data = tomllib.loads(text)
        plain = json.loads(json.dumps(data, default=lambda moment: moment.isoformat(), allow_nan=False))
    except tomllib.TOMLDecodeError as error:
        line = SYNTAX_LINE.search(str(error))
        return [int(line[1]) if line else len(text.splitlines()), f"this is no TOML: {error}"]
    except (RecursionError, ValueError) as error:
        return [1, f"this cannot be read: {error}"]
    return [plain, {pattern: _compiled(pattern) for pattern in _patterns(plain)}]


def _patterns(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for value in data:
            yield from _patterns(value)
    elif isinstance(data, dict):
        for key, value in data.items():
            given = value if isinstance(value, list) else [value]
            if key in PATTERNS:
                yield from (pattern for pattern in given if isinstance(pattern, str))
            yield from _patterns(value)


def _compiled(pattern: str) -> int | str:
    if len(pattern) > MOST_PATTERN_CHARS:
        return f"a pattern has at most {MOST_PATTERN_CHARS} characters, not {len(pattern)}"
    try:
        return re.compile(pattern).groups
    except (re.error, RecursionError, OverflowError) as error:
        return f"{pattern!r} is no pattern: {error}"


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
    return [part[1] or part[2] or part[0].strip("\"'") for part in PART.finditer(written)]


def _table(is_array: bool, parts: list[str], indices: dict[Location, int]) -> Location:
    """Return the location of a header; tables of an array are counted in `indices`."""
    found: Location = ()
    for at, part in enumerate(parts):
        found = (*found, part)
        if is_array and at == len(parts) - 1:
            indices[found] = indices.get(found, -1) + 1
            for below in [known for known in indices if len(known) > len(found) and known[: len(found)] == found]:
                if indices[found] > 0 and below[len(found)] == indices[found]:
                    del indices[below]
        if found in indices:
            found = (*found, indices[found])
    return found
