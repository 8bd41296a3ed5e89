"""Tells the beginning of a journal's line from anything else, by the form that the writer gives it: JSON in ASCII,
without spaces. What it says is not looked at.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import Final

_CHARACTERS: Final = re.compile(rb'(?:[ !#-\[\]-~]++|\\(?:["\\/bfnrt]|u[0-9a-f]{4})){1,1000}')
"""What stands in a string, a piece at a time: the engine keeps something for every escape of a match."""
_CUT_ESCAPE: Final = re.compile(rb"(?:\\(?:u[0-9a-f]{0,3})?)?")
_ATOM: Final = re.compile(rb"[-+.0-9a-zA-Z]++")
_NUMBER: Final = re.compile(rb"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
_CUT_NUMBER: Final = re.compile(rb"-?(?:\d+(?:\.\d*)?(?:(?<=\d)e[-+]?\d*)?)?")
_WORDS: Final = (b"true", b"false", b"null", b"NaN", b"Infinity", b"-Infinity")
_CLOSERS: Final = {b"{": b"}", b"[": b"]"}


class _Next(Enum):
    KEY = auto()
    VALUE = auto()
    COMMA_OR_CLOSER = auto()


def end_of_fields(text: bytes) -> int | None:
    """Return where the fields of the line that `text` begins are over: at the comma before the line's own `hash`.

    The length of `text` if it breaks off before that; None if no line begins so.
    """
    walk = _Walk(text)
    while walk.at < len(text):
        if walk.is_before_hash:
            return walk.at
        if not walk.step():
            return None
    return len(text)


class _Walk:
    """Walks over a line, one sign, string or number at a time."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self.at = 0
        self._next = _Next.VALUE
        self._closers: list[bytes] = []
        """What closes the objects and lists that are open, the innermost last."""

    @property
    def is_before_hash(self) -> bool:
        """The line's own hash comes next: all else named so stands inside of something."""
        between = self._next is _Next.COMMA_OR_CLOSER and len(self._closers) == 1
        return between and self._text.startswith(b',"hash"', self.at)

    def step(self) -> bool:
        """Go on; False for what cannot stand here."""
        sign = self._text[self.at : self.at + 1]
        if self._next is _Next.COMMA_OR_CLOSER:
            return self._pass(sign)
        if sign == b'"':
            return self._pass_string()
        if self._next is _Next.KEY:
            return False
        return self._open(_CLOSERS[sign]) if sign in _CLOSERS else self._pass_atom()

    def _pass(self, sign: bytes) -> bool:
        self.at += 1
        if sign == b",":
            self._next = self._first_in(self._closers[-1])
            return True
        # The outermost brace closes behind the hash alone.
        return sign == self._closers.pop() and bool(self._closers)

    def _open(self, closer: bytes) -> bool:
        self.at += 1
        if self._closers and self._text[self.at : self.at + 1] == closer:
            self.at += 1
            self._next = _Next.COMMA_OR_CLOSER
            return True
        self._closers.append(closer)
        self._next = self._first_in(closer)
        return True

    def _first_in(self, closer: bytes) -> _Next:
        return _Next.KEY if closer == b"}" else _Next.VALUE

    def _pass_string(self) -> bool:
        self.at += 1
        while (piece := _CHARACTERS.match(self._text, self.at)) is not None:
            self.at = piece.end()
        if self._text[self.at : self.at + 1] != b'"':
            is_cut = _CUT_ESCAPE.fullmatch(self._text, self.at) is not None
            self.at = len(self._text)
            return is_cut
        self.at += 1
        if self._next is _Next.VALUE:
            self._next = _Next.COMMA_OR_CLOSER
            return True
        colon = self._text[self.at : self.at + 1]
        self.at += len(colon)
        self._next = _Next.VALUE
        return colon in (b":", b"")

    def _pass_atom(self) -> bool:
        found = _ATOM.match(self._text, self.at)
        if found is None:
            return False
        self.at, atom = found.end(), found[0]
        self._next = _Next.COMMA_OR_CLOSER
        if self.at < len(self._text):
            return atom in _WORDS or _NUMBER.fullmatch(atom) is not None
        return any(each.startswith(atom) for each in _WORDS) or _CUT_NUMBER.fullmatch(atom) is not None
