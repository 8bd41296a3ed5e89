"""Chooses the files of a question that are searched for some words.

A search compares passages in the worker process, which can take only some of many files.
So the files that most likely have the words are found here first, by a fast look at all.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from pathlib import Path
from typing import Final, NamedTuple

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.file_suffixes import is_table
from controlplane.benchmarks.files.sources.utf_8_text import is_plain
from controlplane.sandbox.files.text_words import (
    beginning_of,
    comparable_text,
    words_of,
)
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts
from controlplane.sandbox.interface import bounds
from controlplane.text_files import decode_text

MAX_TABLE_HEADS: Final = 3
HEAD_BYTES: Final = 4_096
"""The number of bytes that are read for the first lines of a table."""
MAX_LINE_CHARS: Final = 500
"""The characters of a table's line that are shown."""

# A word is searched for by its beginning, without its ending, which also finds its
# other forms: `beginning_of("prices")` is `pric`, which is in `price`, too. Words are
# case-folded.


def files_with_words(sources: SourceFiles, words: Sequence[str]) -> list[str]:
    """Return the files to search for some words, best first.

    A file ranks higher if it contains more of the words, and words that fewer files
    contain. The files have at most `MOST_SEARCHED_BYTES` in total.
    """
    beginnings = [beginning_of(word) for word in words]
    # The rank needs only to know which of the words a file has. So a text of their
    # beginnings stands for the file: `pric invoi`. The real texts may not fit in memory.
    texts: dict[str, TitledText] = {}
    for path in sorted(sources.paths.keys() - sources.large):
        occurring = _occurring(sources, path, beginnings)
        if occurring:
            texts[path] = TitledText(title="", text=" ".join(occurring))

    chosen: list[str] = []
    remaining_bytes = bounds.MOST_SEARCHED_BYTES
    for path in ranked_texts(texts, beginnings):
        size = sources.paths[path]
        if size <= remaining_bytes:
            chosen.append(path)
            remaining_bytes -= size
    return chosen


def _occurring(sources: SourceFiles, path: str, beginnings: Sequence[str]) -> list[str]:
    """Return those beginnings of words that occur in a file's text."""
    if all(beginning.isascii() for beginning in beginnings):
        data = _for_ascii_search(sources, path)
    else:
        data = sources.in_utf_8(path)
    if data.isascii():
        text = data.decode("ascii").lower()
    else:
        text = comparable_text(data.decode("utf-8", "replace"))
    return [beginning for beginning in beginnings if beginning in text]


def _for_ascii_search(sources: SourceFiles, path: str) -> bytes:
    """Return a file's text in UTF-8, or in another encoding that extends ASCII, such as Latin-1.

    A search for ASCII characters has the same result in all these encodings, and is
    faster if the text is not converted.
    """
    data = sources.bytes_of(path) or b""
    return data if is_plain(data) else sources.in_utf_8(path)


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
    """Return the first two lines of a table, and how many of the words are names in it."""
    data = sources.bytes_of(path, HEAD_BYTES) or b""
    whole_lines = data.rpartition(b"\n")[0] or data
    lines = decode_text(whole_lines).text.split("\n")
    names = f"{Path(path).with_suffix('')} {lines[0]}"
    matches = 0
    for name in words_of(names.replace("_", " ").replace("-", " ")):
        if beginning_of(name) in beginnings:
            matches += 1
    shown = [line[:MAX_LINE_CHARS] for line in lines[:2]]
    return _Head(path, "\n".join(shown), matches)
