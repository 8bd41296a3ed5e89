"""A value of an argument, and how it is recognised in the texts that a trial has received.

Texts spell values in many ways. So a value is looked up in two forms:

- its *keys*, which all its spellings share: `1,250.00` and `1250` have the key `1250`;
- its *phrase*, if it has several words: ` ann miller ` for `Ann Miller`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, looked up as a whole or, if no text contains it, by its parts."""

    text: str
    """The value as the call has it: `1,250.00`."""
    keys: tuple[str, ...] = ()
    """A text that has one of these keys contains the value: `("1250",)` for `1,250.00`.
    A value of several words has one only if it may be an account in groups: `US13 3000 0001`
    has the key `us1330000001`."""
    phrase: str = ""
    """The words of a value with several words: ` ann miller ` for `Ann Miller`. The blanks
    at its ends keep it from being found within longer words, as in `Joann Millers`."""
    parts: tuple[ArgumentValue, ...] = ()
    """Looked up if no text contains the whole value: the host of a URL, words with digits."""
    is_whole: bool = False
    """True for an argument, or an item of one. False for a part of a longer text."""
    is_address: bool = False
    """True if the value says whom, or what, a call reaches:
    an account, a mail address, a URL, a telephone."""

    @property
    def identity(self) -> str:
        """What tells the value apart from others: its first key, or else its phrase.

        It is empty for a long text, which is not looked up itself: only its parts are.
        """
        return self.keys[0] if self.keys else self.phrase

    def with_parts(self) -> Iterator[ArgumentValue]:
        """Yield the value, its parts, and their parts."""
        yield self
        for part in self.parts:
            yield from part.with_parts()


@dataclass(frozen=True, slots=True)
class ValueSet:
    """A set of values, by their keys and phrases. It recognises them in any spelling."""

    keys: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()

    def has(self, value: ArgumentValue) -> bool:
        """Return True if a value is in the set, even if it is spelled differently."""
        if value.phrase and value.phrase in self.phrases:
            return True
        return not self.keys.isdisjoint(value.keys)


NO_VALUES: Final = ValueSet()
