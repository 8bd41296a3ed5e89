"""Several small texts that are searched together, to find out which of them may match.

One search in 64 joined texts is much faster than 64 searches. Most texts have no match, and
need no further search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from controlplane.sandbox.files.search.chunks import CHUNK_BYTES


class SearchedText(NamedTuple):
    """The text of a file that a search looks through, with its path."""

    path: str
    text: bytes
    """In UTF-8."""
    may_match: bool = True
    """False if the text is known to have no match, so that its lines need not be searched."""


_MAX_BATCH_TEXTS: Final = 64
"""The most texts of a batch. More would save no time:
more of them would match, and each match costs another search."""

_MAX_BATCH_BYTES: Final = 2 * CHUNK_BYTES
"""A batch ends with the text that makes it longer than `CHUNK_BYTES`. If this last text is so
large that the batch has as many bytes as this, its texts are not searched together."""


def batches_of(texts: Iterable[SearchedText]) -> Iterator[list[SearchedText]]:
    """Yield the texts in batches of at most `_MAX_BATCH_TEXTS`, in order. The last may be empty."""
    batch: list[SearchedText] = []
    batch_bytes = 0
    for text in texts:
        batch.append(text)
        batch_bytes += len(text.text)
        if batch_bytes > CHUNK_BYTES or len(batch) == _MAX_BATCH_TEXTS:
            yield batch
            batch = []
            batch_bytes = 0
    yield batch


def texts_with_matches(text_pattern: Any | None, texts: Sequence[bytes]) -> list[bool]:
    """Return a flag for each text of a batch: True if a match may begin in it.

    Of the texts `b"due"` and `b"late"`, the pattern `^l` gives `[False, True]`. All flags are
    True if the texts are large, or if there is no pattern for texts of several lines (None).
    """
    joined = b"\n".join(texts)
    if text_pattern is None or len(joined) >= _MAX_BATCH_BYTES:
        return [True] * len(texts)

    # One search finds the next match, and so skips all texts before it. Only behind the
    # text in which that match begins is there a new search.
    flags = []
    text_start = 0
    next_match = text_pattern.search(joined)
    for text in texts:
        text_end = text_start + len(text)
        if next_match is not None and next_match.start() < text_start:
            next_match = text_pattern.search(joined, text_start)
        begins_in_text = next_match is not None and next_match.start() <= text_end
        flags.append(begins_in_text)
        text_start = text_end + 1  # behind the line feed that joins the texts
    return flags
