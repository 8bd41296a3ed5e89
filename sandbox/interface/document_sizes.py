"""The size of a JSON document in memory, counted in its bytes before a parser makes objects.

A document of one megabyte may become a hundred megabytes of Python objects, for example if
it consists of empty lists. So what an untrusted process or a host sends is counted first:
its parts (lists and mappings) by opening brackets, its values by commas, and its levels of
nesting. `[[1], 2]` has two parts, one comma, and two levels.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import bounds


def is_larger(
    body: bytes,
    max_parts: int = bounds.MOST_PARTS,
    max_values: int = bounds.MOST_VALUES,
) -> bool:
    """Return True if a document has too many parts (lists and mappings) or too many values.

    `body` is JSON in UTF-8. The values are counted by the commas between them.
    """
    # The first count includes brackets and commas in texts. Most documents are small
    # enough even so, and the second count takes longer.
    if not _has_more(body, max_parts, max_values):
        return False
    return _has_more(_without_texts(body), max_parts, max_values)


def _has_more(body: bytes, max_parts: int, max_values: int) -> bool:
    """Return True if there are more opening brackets, or more commas, than allowed."""
    opening_brackets = body.count(b"[") + body.count(b"{")
    commas = body.count(b",")
    return opening_brackets > max_parts or commas > max_values


def levels_of(body: bytes) -> int:
    """Return how deep the lists and mappings of a document are nested: `[[1], 2]` -> 2.

    `body` is JSON in UTF-8.
    """
    level = 0
    deepest = 0
    for byte in _without_texts(body):
        if byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        elif byte in b"]}":
            level -= 1
    return deepest


_CHUNK_BYTES: Final = 1 << 18
"""Bytes that are split at once. The pieces between
quotation marks take many times the memory of their text."""


def _without_texts(body: bytes) -> bytes:
    """Return a document without its texts, whose brackets and commas do not count.

    `{"a[": [1]}` -> `{: [1]}`.
    """
    # 1. Remove the escapes `\\` and `\"`, so that every quotation mark that is left begins or ends
    #    a text. `\\` comes first: in `"a\\"`, the mark at the end is not escaped.
    unescaped = body.replace(b"\\\\", b"").replace(b'\\"', b"")

    # 2. Take what is outside of texts, chunk by chunk. A text may go on from one chunk to the next.
    outside: list[bytes] = []
    begins_in_text = False
    for start in range(0, len(unescaped), _CHUNK_BYTES):
        chunk = unescaped[start : start + _CHUNK_BYTES]
        # The pieces between quotation marks are in turn outside and inside of texts.
        pieces = chunk.split(b'"')
        first_outside = 1 if begins_in_text else 0
        outside.append(b"".join(pieces[first_outside::2]))

        # After an odd number of quotation marks, inside and outside have changed places.
        quotation_marks = len(pieces) - 1
        if quotation_marks % 2 == 1:
            begins_in_text = not begins_in_text

    return b"".join(outside)
