"""Reads the names in a workspace: marks in documents, headers of tables, forms of values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, TypeAlias

import re2

from benchmarks.shop.text import normal_words
from gates.submission import encodable
from sandbox.functions import CannotRead

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
    """A list of mappings, perhaps empty."""
    MAPPING = "mapping"
    NOTHING = "nothing"


_TEXT: Final = re.compile(
    r"(?P<instant>\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?)"
    r"|(?P<currency>[A-Z]{3})|(?P<mail>[^@\s]+@[^@\s]+\.[^@\s]+)"
    r"|(?P<id>[A-Za-z]+[-_]\d+)|(?P<word>[a-z]+(?:[-_][a-z]+)*\d*)"
)
_SHAPES: Final = {bool: Shape.FLAG, int: Shape.NUMBER, float: Shape.NUMBER, dict: Shape.MAPPING}
_TEXT_SHAPES: Final = {shape.value: shape for shape in Shape}


def shape_of(value: object) -> Shape:
    """Return the form of a value."""
    if isinstance(value, str):
        match = _TEXT.fullmatch(value)
        return _TEXT_SHAPES[match.lastgroup or ""] if match else Shape.TEXT
    if isinstance(value, list):
        types = set(map(type, value))
        return Shape.WORDS if types == {str} else Shape.ROWS if types <= {dict} else Shape.NOTHING
    return _SHAPES.get(type(value), Shape.NOTHING)


def keys_of(data: Data, *shapes: Shape) -> list[str]:
    """Return the fields whose values have one of these forms, in the record's order."""
    return [key for key, value in data.items() if shape_of(value) in shapes]


def rows_of(data: Data, key: str) -> list[Data]:
    """Return the rows of a field; none if it holds something else."""
    rows = data.get(key)
    return list(rows) if isinstance(rows, list) and shape_of(rows) is Shape.ROWS else []


def every_row(samples: Iterable[Data]) -> Iterator[tuple[str, Data]]:
    """Yield field and row of every list of rows."""
    for data in samples:
        for key in (key for key, value in data.items() if isinstance(value, list)):
            yield from ((key, row) for row in rows_of(data, key))


_MARK: Final = re2.compile(r"`([^`\n]+)`")
_PATH: Final = re.compile(r"(?:^|(?<=[\s`(\[\"']))/[A-Za-z][\w.-]*(?:/[\w.-]+)*", re.MULTILINE)


@lru_cache(maxsize=128)
def marked_words(text: str) -> tuple[str, ...]:
    """Return everything in code marks, in its order, repetitions included."""
    return tuple(_MARK.findall(encodable(" ".join(line.strip() for line in text.split("\n")))))


@lru_cache(maxsize=128)
def named_paths(text: str) -> tuple[str, ...]:
    """Return the absolute paths that a text names, in code marks or without, each once."""
    return tuple(dict.fromkeys(path.rstrip(".") for path in _PATH.findall(text)))


def most_marked(text: str, among: Collection[str]) -> str:
    """Return the word of `among` that a text marks most often, the first of equals; empty if it marks none of them."""
    words = [word for word in marked_words(text) if word in among]
    return max(dict.fromkeys(words), key=words.count, default="")


def marked_behind(text: str, word: str, *, most_chars: int = 20) -> str:
    """Return the next marked text after a marked word, within a few characters; empty if there is none."""
    if f"`{word}`" not in text:
        return ""
    plain = " ".join(text.split())
    match = re.search(rf"`{re.escape(word)}`[^`.;]{{0,{most_chars}}}`([^`\n]+)`", plain)
    return match[1] if match else ""


def table_rows(text: str) -> list[dict[str, str]]:
    """Return the rows by the normal words of their headers, such as `lane id`. Raises `CannotRead` for uneven rows."""
    lines = [line for line in text.splitlines() if line.strip()]
    separator = next((mark for mark in ("\t", ";", ",") if lines and mark in lines[0]), "\t")
    headers, *rows = [[cell.strip() for cell in line.split(separator)] for line in lines] or [[]]
    names = [normal_words(header) for header in headers]
    if len(set(names)) != len(names) or any(len(row) != len(names) for row in rows):
        msg = "the table has headers twice, or a row with other columns than its header"
        raise CannotRead(msg)
    return [dict(zip(names, row, strict=True)) for row in rows]


def columns_called(rows: list[dict[str, str]], wanted: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the header of each wanted column: the first of its words that is a header, else the only header with one.

    Raises `CannotRead` for a table without rows or without one of the columns.
    """
    headers = list(rows[0]) if rows else []
    columns = {}
    for name, words in wanted.items():
        exact = [word for word in words if word in headers]
        near = [header for word in words for header in headers if f" {word} " in f" {header} "]
        if not exact and len(set(near)) != 1:
            msg = f"the table has no single column for {name}; it has {', '.join(headers) or 'no rows'}"
            raise CannotRead(msg)
        columns[name] = (exact or near)[0]
    return columns


def followup_reads(paths: Iterable[str], *, opened: Collection[str] = ()) -> list[str]:
    """Return the documents among files, in their order, without the opened ones."""
    return [path for path in paths if path.casefold().endswith(".md") and path not in opened]


def followup_helps(
    paths: Iterable[str], *, tools: Collection[str] | None = None, helped: Collection[str] = ()
) -> list[str]:
    """Return the tools among files whose help was not read.

    `tools` are those that the workspace declares; without declared tools (None), files without an extension are tools.
    """
    left = (path for path in paths if path not in helped)
    return [path for path in left if (path in tools if tools is not None else "." not in path.rsplit("/", 1)[-1])]
