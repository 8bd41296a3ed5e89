"""A value of an argument, and the keys by which it is looked up in texts.

All spellings of a value share its keys: `1,250.00` has the key `1250` (see
`value_keys.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, looked up as a whole or, if no text contains it, by its parts."""

    text: str
    """The value as it is written."""
    keys: tuple[str, ...] = ()
    """`("1250",)` for `1,250.00`. A text that has one of them contains the value.
    A value of several words has no keys, unless it may be an account in groups."""
    phrase: str = ""
    """` ann miller ` for `Ann Miller`: the words of a value of several
    words. A text that has them in a row contains the value."""
    parts: tuple[ArgumentValue, ...] = ()
    """Looked up if no text contains the whole value: the host of a URL, words with digits."""
    is_whole: bool = False
    """True for an argument, or an item of one. False for a part of a longer text."""
    is_address: bool = False
    """True if the value says whom, or what, a call reaches:
    an account, a mail address, a URL, a telephone."""

    @property
    def key(self) -> str:
        """The first key, or else the phrase. Empty for a long text: its parts are looked up."""
        return self.keys[0] if self.keys else self.phrase

    def with_parts(self) -> Iterator[ArgumentValue]:
        """Yield the value, its parts, and their parts."""
        yield self
        for part in self.parts:
            yield from part.with_parts()


@dataclass(frozen=True, slots=True)
class ValueKeys:
    """The keys and phrases of some values, to recognise these values elsewhere."""

    keys: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()

    def has(self, value: ArgumentValue) -> bool:
        """Return True if a value is one of these."""
        if value.phrase and value.phrase in self.phrases:
            return True
        return not self.keys.isdisjoint(value.keys)


NO_VALUES: Final = ValueKeys()
