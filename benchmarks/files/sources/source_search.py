"""Chooses the files of a question that are searched for some words.

A search compares passages in the worker process, which can take only some of many files.
So the files that most likely have the words are found here first, by a fast look at all: a file
with "open" and "invoices" comes before one with only "open".
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.files.sources.utf_8_text import is_plain
from controlplane.sandbox.files.text_words import (
    beginning_of,
    comparable_text,
)
from controlplane.sandbox.files.word_ranking import TitledText, ranked_texts
from controlplane.sandbox.interface import bounds

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
    """Return those beginnings of words that occur in a file's text.

    `["pric", "lamp"]`, "The price is 5 EUR." -> `["pric"]`. An ASCII text only needs small
    letters to be compared; the full folding (`comparable_text`) takes longer.
    """
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
