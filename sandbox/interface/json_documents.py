r"""Reads and writes JSON documents, also those with texts that UTF-8 cannot encode.

A text in Python may have half of a surrogate pair, such as `"\ud83d"`. UTF-8 cannot
encode it, so `json_bytes`, `well_formed`, `parse_json` and `well_formed_json` replace it by
U+FFFD.

A process of scripts imports this module, too, but needs only `json_text`. So the
library in Rust, which takes long to import, is imported where it is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Final

from controlplane.sandbox.interface import bounds

# The size of a JSON document in memory, counted in its bytes before a parser makes objects.
#
# A document of one megabyte may become a hundred megabytes of Python objects, for example if
# it consists of empty lists. So what an untrusted process or a host sends is counted first:
# its parts (lists and mappings) by opening brackets, its values by commas, and its levels of
# nesting. `[[1], 2]` has two parts, one comma, and two levels.


def is_larger(
    body: bytes | bytearray,
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


def _has_more(body: bytes | bytearray, max_parts: int, max_values: int) -> bool:
    """Return True if there are more opening brackets, or more commas, than allowed."""
    opening_brackets = body.count(b"[") + body.count(b"{")
    commas = body.count(b",")
    return opening_brackets > max_parts or commas > max_values


_NO_BRACKETS: Final = bytes(set(range(256)).difference(b"[{]}"))
"""All bytes but the brackets."""


def levels_of(body: bytes) -> int:
    """Return how deep the lists and mappings of a document are nested: `[[1], 2]` -> 2.

    `body` is JSON in UTF-8.
    """
    level = 0
    deepest = 0
    for byte in _without_texts(body).translate(None, delete=_NO_BRACKETS):
        if byte in b"[{":
            level += 1
            deepest = max(deepest, level)
        else:
            level -= 1
    return deepest


_CHUNK_BYTES: Final = 1 << 18
"""Bytes that are split at once. The pieces between
quotation marks take many times the memory of their text."""


def _without_texts(body: bytes | bytearray) -> bytes:
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


# Writing

_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
)


def _encoder_in_c() -> Callable[[Any, int], Iterable[str]] | None:
    """Return the part of `json` that writes a document; None if this Python has none in C.

    `JSONEncoder.encode` makes a new one for each document, which takes longer than a short document.
    """
    make_encoder = getattr(json.encoder, "c_make_encoder", None)
    if make_encoder is None:
        return None
    write: Callable[[Any, int], Iterable[str]] = make_encoder(
        None,  # does not look for data that contain themselves
        _ENCODER.default,
        json.encoder.encode_basestring,
        None,  # writes one line
        _ENCODER.key_separator,
        _ENCODER.item_separator,
        _ENCODER.sort_keys,
        _ENCODER.skipkeys,
        _ENCODER.allow_nan,
    )
    return write


_WRITE: Final = _encoder_in_c()


def json_text(data: Any) -> str:
    """Return plain data as JSON in a text, by Python's own library.

    Halves of surrogate pairs stay as they are. Raises `ValueError` for NaN and infinity, and for
    data that contain themselves.
    """
    if _WRITE is not None:
        try:
            return "".join(_WRITE(data, 0))
        except RecursionError:
            pass  # The next line finds out whether the data contain themselves.
    return _ENCODER.encode(data)


def json_bytes(data: Any) -> bytes:
    """Return plain data as JSON in UTF-8, with U+FFFD for every half of a surrogate pair."""
    try:
        return _writer()(data)
    except ValueError as error:
        from pydantic_core import PydanticSerializationError

        if not isinstance(error, PydanticSerializationError):
            raise
        # A text has half of a surrogate pair, which the writer in Rust refuses.
        return well_formed(json.dumps(data, ensure_ascii=False)).encode()


@cache
def _writer() -> Callable[[Any], bytes]:
    """Return the writer in Rust. It is kept, because an import takes as long as a short document."""
    from pydantic_core import to_json

    return to_json


def well_formed(text: str) -> str:
    """Return a text with U+FFFD for every half of a surrogate pair, which UTF-8 cannot encode.

    The text stays as long as it was: `"a\\ud83d"` -> `"a\\ufffd"`.
    """
    if text.isascii():
        return text
    # In UTF-16, two halves that belong together are one character. So only halves that are
    # alone are replaced.
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# Reading a document from outside

_MAX_DOCUMENT_PARTS: Final = 100_000
_MAX_DOCUMENT_VALUES: Final = 1_000_000
"""The most values of a document from outside. Each takes many times its bytes in memory."""


def parse_json(
    content: str | bytes, *, most_bytes: int = bounds.MOST_LINE_BYTES
) -> Any:
    """Return the data of a JSON document from outside: `{"a": [1]}` -> a dict with a list.

    U+FFFD replaces every half of a surrogate pair, such as `\\ud83d` alone, because a text with
    one could not be printed or sent. Raises `ValueError` if the document is malformed, longer
    than `most_bytes`, nested deeper than 200 levels, or has too many values.
    """
    from pydantic_core import from_json

    body = (
        content
        if isinstance(content, bytes)
        else content.encode("utf-8", "surrogatepass")
    )
    if len(body) > most_bytes:
        msg = f"it is longer than {most_bytes:,} bytes"
        raise ValueError(msg)
    if is_larger(body, _MAX_DOCUMENT_PARTS, _MAX_DOCUMENT_VALUES):
        msg = "it holds too many values"
        raise ValueError(msg)

    try:
        return from_json(well_formed_json(body))
    except ValueError as error:
        msg = str(error)
        if "recursion limit" in msg:  # The parser's text for more than 200 levels.
            msg = "it is nested too deeply"
        raise ValueError(msg) from None


_SURROGATE_ESCAPES: Final = tuple(
    f"\\u{first}{second}".encode() for first in "dD" for second in "89abcdefABCDEF"
)
"""The beginnings of the escapes from `\\ud800` to `\\udfff`, such as `\\ud8`."""


def well_formed_json(body: bytes) -> bytes:
    """Return a JSON document with U+FFFD for every half of a surrogate pair, escaped or not.

    `{"a": "\\ud83d"}` -> `{"a": "\ufffd"}`. Strict parsers refuse a document with such a half.
    Raises `ValueError` if the document may have one, and is malformed.
    """
    # Without an escape, a half takes three bytes of which the first one is 0xed. Most documents
    # have no escape at all that begins like one of a half, which two searches tell.
    may_have_halves = b"\xed" in body
    if not may_have_halves and (b"\\ud" in body or b"\\uD" in body):
        may_have_halves = any(escape in body for escape in _SURROGATE_ESCAPES)
    if not may_have_halves:
        return body

    # Python's own parser and writer keep the halves. Two that belong together become one
    # character. The others are replaced in the whole document at once, because that is faster
    # than to replace them in every text of the data.
    try:
        data = json.loads(body.decode("utf-8", "surrogatepass"))
        return well_formed(json.dumps(data, ensure_ascii=False)).encode()
    except RecursionError:
        msg = "it is nested too deeply"
        raise ValueError(msg) from None
