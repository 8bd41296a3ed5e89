"""Finds the tables of a question whose names or columns have its words.

"Which city has the largest amount?" is answered by `/sales.csv` with the columns `city` and
`amount`. The search for passages shows lines with words of the question, and would miss this
table, whose rows have only values. So its first two lines are shown, too.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Final, NamedTuple

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import is_table
from controlplane.sandbox.files.text_words import (
    beginning_of,
    words_of,
)
from controlplane.text_files import decode_text

MAX_TABLE_HEADS: Final = 3
"""The most tables whose first lines are shown."""
HEAD_BYTES: Final = 4_096
"""The number of bytes that are read for the first lines of a table."""
MAX_LINE_CHARS: Final = 500
"""The characters of a table's line that are shown."""


class _Head(NamedTuple):
    """The first two lines of a table."""

    path: str
    text: str
    matches: int
    """The number of searched words in the names of the table and its columns."""


def table_heads(sources: SourceFiles, words: Sequence[str]) -> list[list[str]]:
    """Return the path and first two lines of the tables whose names match words best.

    The names are those of the table and its columns. The result has at most
    `MAX_TABLE_HEADS` items, such as `["/sales.csv", "city,amount\\nBerlin,5"]`. It is
    sent to the worker as JSON, which has lists and no tuples.
    """
    beginnings = {beginning_of(word) for word in words}
    heads = []
    for path in sources.paths:
        if is_table(path):
            head = _head(sources, path, beginnings)
            if head.matches:
                heads.append(head)
    heads.sort(key=lambda head: head.matches, reverse=True)
    return [[head.path, head.text] for head in heads[:MAX_TABLE_HEADS]]


def _head(sources: SourceFiles, path: str, beginnings: Set[str]) -> _Head:
    """Return the first two lines of a table, and how many of its names are searched words.

    `beginnings` has the searched words without their endings: `pric` for `prices`, which also
    finds `price`.
    """
    data = sources.first_bytes_of(path, HEAD_BYTES) or b""
    whole_lines = data.rpartition(b"\n")[0] or data
    lines = decode_text(whole_lines).text.split("\n")
    names = f"{Path(path).with_suffix('')} {lines[0]}"
    matches = 0
    for name in words_of(names.replace("_", " ").replace("-", " ")):
        if beginning_of(name) in beginnings:
            matches += 1
    shown = [line[:MAX_LINE_CHARS] for line in lines[:2]]
    return _Head(path, "\n".join(shown), matches)
