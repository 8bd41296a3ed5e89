"""A value of an argument: an account, a date, a name, or anything else that identifies something.

A mail says `15 May 2026`, and a call has `date="2026-05-15"`. Both have the *key* `2026-05-15`,
the form that all spellings of this date share. By the key, the date of the call is found in the
mail.

    ArgumentValue("15 May 2026", keys=("2026-05-15", "--05-15"))
    ArgumentValue("Ann Miller", keys=(" ann miller ",))

The blanks around a key of several words say that whole words are searched: not `Joann Millers`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class ValueRole(Enum):
    """What a value is to the argument that has it."""

    WHOLE = auto()
    """The argument itself, or an item of it."""
    ADDRESS = auto()
    """A part of a longer text that says whom, or what, a call reaches: an account, a mail
    address, a URL, a telephone."""
    DETAIL = auto()
    """Any other part of a longer text, such as the `inv-17` of `Pay inv-17 to Bob`."""


@dataclass(frozen=True, slots=True)
class ArgumentValue:
    """A value of an argument, with the keys by which it is looked up in the texts that were read."""

    text: str
    """The value as the call has it."""
    keys: tuple[str, ...] = ()
    """A text that has one of them has the value. The first is the whole value: `2026-05-15`. The
    others are for texts with less of it: `--05-15`, for `15 May`, without the year. A long text,
    such as a letter, has no keys: only its parts are looked up."""
    parts: tuple[ArgumentValue, ...] = ()
    """The values within this one, which are looked up if no text has it: the account in a URL."""
    role: ValueRole = ValueRole.DETAIL

    @property
    def main_key(self) -> str:
        """The first key. Two values with the same one are the same. Empty for a long text."""
        return self.keys[0] if self.keys else ""
