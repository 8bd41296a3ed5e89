"""Reads and writes JSON documents, also those with texts that UTF-8 cannot encode.

A text in Python may have half of a surrogate pair, such as `"\\ud83d"`. UTF-8 cannot
encode it, so `json_bytes`, `well_formed`, `parse_json` and `well_formed_json` replace it by
U+FFFD.

A process of scripts imports this module, too, but needs only `json_text`. So the
library in Rust, which takes long to import, is imported where it is used.
"""

from __future__ import annotations

import json
from typing import Any, Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.document_sizes import is_larger

# Writing

json_text: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":")
).encode
"""`json_text(data)` returns plain data as JSON in a text, by Python's own library. Halves
of surrogate pairs stay as they are. Raises `ValueError` for NaN and infinity."""


def json_bytes(data: Any) -> bytes:
    """Return plain data as JSON in UTF-8, with U+FFFD for every half of a surrogate pair."""
    from pydantic_core import PydanticSerializationError, to_json

    try:
        return to_json(data)
    except PydanticSerializationError:
        # A text has half of a surrogate pair, which the writer in Rust refuses.
        return well_formed(json.dumps(data, ensure_ascii=False)).encode()


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
    # Without an escape, a half takes three bytes of which the first one is 0xed.
    may_have_halves = b"\xed" in body or any(
        escape in body for escape in _SURROGATE_ESCAPES
    )
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
