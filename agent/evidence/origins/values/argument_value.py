"""A value of an argument: an account, a date, a name, or anything else that identifies something.

A mail says `15 May 2026`, and a call has `date="2026-05-15"`. All spellings of a value share its
*key*, here `2026-05-15`. By the key, the date of the call is found in the mail.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    """A value of an argument. It is looked up by its keys, and, if no text has one, by its parts.

    | `text` | `main_key` | `other_keys` | `parts` |
    |---|---|---|---|
    | `15 May 2026` | `2026-05-15` | `--05-15` | |
    | `Ann Miller` | ` ann miller ` (a phrase) | | |
    | `https://pay.org/?to=GB33...` | `pay.org/?to=gb33...` | | `pay.org`, `GB33...` |
    | `Dear Bob, ...` (a long text) | | | the accounts, addresses and ids in it |
    """

    text: str
    """The value as the call has it."""
    main_key: str = ""
    """What all spellings of the value share. Two values with the same main key are the same. A
    long text has none: it is not looked up as a whole."""
    other_keys: tuple[str, ...] = ()
    """Further keys by which a text may have the value: `--05-15`, if it leaves out the year."""
    parts: tuple[ArgumentValue, ...] = ()
    """The values within this one."""
    role: ValueRole = ValueRole.DETAIL

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys. A text that has one of them contains the value."""
        return (self.main_key, *self.other_keys) if self.main_key else ()

    def with_parts(self) -> Iterator[ArgumentValue]:
        """Yield the value, its parts, and their parts."""
        yield self
        for part in self.parts:
            yield from part.with_parts()
