"""Reads the text of a task.toml in an aide: TOML, the patterns in it, and the lines of its keys. The text is untrusted:
its author's mistakes are reported with their line, and a text that takes too long ends only the aide."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sandbox.files import compiled_pattern
from sandbox.interface import CallError, Plain

PATTERNS: Final = ("args", "pattern")
"""The keys whose values are patterns."""
SYNTAX_LINE: Final = re.compile(r"at line (\d+)")


def read_task(text: str) -> list[Plain]:
    """Return the data of a text, and for each pattern its number of groups, or the reason why it is not a pattern.

    For a text that is not TOML, return the line and the reason.
    """
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
        plain = json.loads(json.dumps(data, default=lambda moment: moment.isoformat(), allow_nan=False))
    except tomllib.TOMLDecodeError as error:
        line = SYNTAX_LINE.search(str(error))
        return [int(line[1]) if line else len(text.splitlines()), f"this is not TOML: {error}"]
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
    try:
        return int(compiled_pattern(pattern).groups)
    except CallError as error:
        return error.message


def line_of(text: str, location: Sequence[str | int]) -> int:
    """Return the line, counted from 1, of the key at `location`, or of the nearest one above it that is written.

    The key is on the line after the longest beginning of the text that is TOML and does not have it.
    """
    lines = text.split("\n")
    held = _held(lines, location)
    before, after = 0, len(lines)
    while held and after - before > 1:
        middle = cut = (before + after) // 2
        while cut < after and (found := _held(lines[:cut], location)) is None:
            cut += 1  # A value goes on here.
        if cut == after or found == held:
            after = middle
        else:
            before = cut
    return before + 1


def _held(lines: list[str], location: Sequence[str | int]) -> int | None:
    """Return the number of parts of a location that the lines hold, None for lines that are not TOML."""
    try:
        data: Any = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return None
    for count, part in enumerate(location):
        is_there = (
            part in data
            if isinstance(data, dict)
            else isinstance(data, list) and type(part) is int and part < len(data)
        )
        if not is_there:
            return count
        data = data[part]
    return len(location)
