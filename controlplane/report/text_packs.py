"""Keeps the texts of a report: each long one once, compressed in packs that a page unpacks when it shows them.

A pack is a JSON list of texts, deflated and in base64, so that no text of a journal stands in the file as it is.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from typing import Final, TypeAlias

Stored: TypeAlias = str | int
"""A short text itself, or the number of a long one."""

LONG: Final = 160
"""Characters from which on a text is kept in a pack."""
PACK_CHARS: Final = 120_000
"""Characters of a pack at which the next one begins: little to unpack for one trial, much to compress by."""
LEVEL: Final = 6


def packed(value: object) -> str:
    """Return `value` as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), LEVEL)).decode("ascii")


class TextPacks:
    """Takes texts and gives them numbers; equal texts get the same number."""

    def __init__(self) -> None:
        self.packs: list[str] = []
        """The packs that are full, and after `close` all of them."""
        self.starts: list[int] = []
        """The number of the first text of each pack."""
        self._numbers: dict[bytes, int] = {}
        self._open: list[str] = []
        self._chars = 0

    def put(self, text: str) -> Stored:
        """Return `text` if it is short, else the number under which it is kept."""
        if len(text) < LONG:
            return text
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._numbers.get(key)
        if known is not None:
            return known
        number = self._numbers[key] = len(self._numbers)
        if not self._open:
            self.starts.append(number)
        self._open.append(text)
        self._chars += len(text)
        if self._chars >= PACK_CHARS:
            self.close()
        return number

    def close(self) -> None:
        """End the pack that is open."""
        if self._open:
            self.packs.append(packed(self._open))
            self._open, self._chars = [], 0
