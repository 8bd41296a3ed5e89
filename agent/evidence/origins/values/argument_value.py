"""A value of an argument, with the keys by which it is looked up in texts.

The call `send_money(recipient="GB33BUKB20201555555555")` has one value, the account. A mail may
write it as `GB33 BUKB 2020 1555 5555 55`. Both spellings have the key
`gb33bukb20201555555555`, so the account is found in the mail.
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

    | text | keys | parts |
    |---|---|---|
    | `1,250.00` | `1250` | |
    | `Ann Miller` | ` ann miller ` (a phrase) | |
    | `https://pay.org/?to=GB33...` | `pay.org/?to=gb33...` | `pay.org`, `GB33...` |
    | `Dear Bob, ...` (a long text) | | the accounts, addresses and ids in it |
    """

    text: str
    """The value as the call has it: `1,250.00`."""
    keys: tuple[str, ...] = ()
    """A text that has one of these keys contains the value (see `keys.py`). A long text
    has none, because the script wrote it itself: only its parts may come from elsewhere."""
    parts: tuple[ArgumentValue, ...] = ()
    """Looked up if no text contains the whole value, such as the host of a URL."""
    role: ValueRole = ValueRole.DETAIL

    @property
    def main_key(self) -> str:
        """The first key. Two values with the same one are the same. Empty for a long text."""
        return self.keys[0] if self.keys else ""

    def with_parts(self) -> Iterator[ArgumentValue]:
        """Yield the value, its parts, and their parts."""
        yield self
        for part in self.parts:
            yield from part.with_parts()
