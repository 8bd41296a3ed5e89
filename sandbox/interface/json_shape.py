"""How many parts a JSON document has, and how deep they lie, counted on its bytes before any is made an object."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import Final, NamedTuple, Self

_CHUNK: Final = 1 << 18
_OPENING, _CLOSING = b"[{", b"]}"
_OTHERS: Final = bytes(each for each in range(256) if each not in _OPENING + _CLOSING)
_STEPS: Final = bytes(1 if each in _OPENING else 255 for each in range(256))
"""What a bracket adds to the level, as a signed byte."""


class JsonShape(NamedTuple):
    """What a document is made of."""

    parts: int
    """Lists and mappings."""
    commas: int
    """Values that stand behind another one."""
    empty: int
    """Lists and mappings with nothing in them."""

    @property
    def values(self) -> int:
        """How many values lie in lists and mappings."""
        return self.commas + self.parts - self.empty

    @classmethod
    def of(cls, body: bytes) -> Self:
        """Return the shape of a document without white space. What its texts hold counts too."""
        return cls(body.count(b"[") + body.count(b"{"), body.count(b","), body.count(b"[]") + body.count(b"{}"))

    @classmethod
    def outside_texts(cls, body: bytes) -> Self:
        """Return the shape of a document without white space."""
        return cls.of(_without_texts(body))


def levels_of(body: bytes) -> int:
    """Return how deep the lists and mappings of a document lie in each other, the outermost counted."""
    steps = array("b", _without_texts(body).translate(_STEPS, _OTHERS))
    return max(accumulate(steps), default=0)


def _without_texts(body: bytes) -> bytes:
    """Return what of a JSON document stands outside its texts, without an object for each of them at once."""
    plain = body.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside: list[bytes] = []
    is_inside = 0
    for start in range(0, len(plain), _CHUNK):
        pieces = plain[start : start + _CHUNK].split(b'"')
        outside.append(b"".join(pieces[is_inside::2]))
        is_inside = (is_inside + len(pieces) - 1) % 2
    return b"".join(outside)
