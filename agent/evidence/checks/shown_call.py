"""Writes a call as it is shown to the user, who is asked to approve it.

    send_money(to='DE12', amount=30)

Its arguments may come from an attacker's mail. So the text says what it leaves out, and shows
characters that could deceive the user by their codes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from typing import Final

from controlplane.sandbox.interface import Plain

MAX_VALUE_CHARS: Final = 300
"""How many characters the user is shown of an argument about which there is no question."""


def call_text(
    operation: str, arguments: Mapping[str, Plain], shown_in_full: Collection[str] = ()
) -> str:
    """Return a call as the user is shown it: `send_money(to='DE12', amount=30)`.

    The arguments `shown_in_full` are those about which the user decides. Other long ones
    are cut, and the text says how much is left out. Control characters, which could
    redraw a terminal, are shown as escapes.
    """
    shown: list[str] = []
    for name, value in arguments.items():
        text = shown_value(value)
        if name not in shown_in_full and len(text) > MAX_VALUE_CHARS:
            left_out = len(text) - MAX_VALUE_CHARS
            text = f"{text[:MAX_VALUE_CHARS]}… [{left_out:,} further characters are not shown]"
        shown.append(f"{name}={text}")
    return f"{operation}({', '.join(shown)})"


def shown_value(value: Plain) -> str:
    """Return a value on one line, with control characters as escapes.

    If a word mixes letters of two alphabets, such as a Cyrillic letter in a Latin word,
    the codes of its letters follow.
    """
    text = repr(value)
    mixed = [word for word in text.split() if _mixes_scripts(word)]
    if mixed:
        codes = ", ".join(ascii(word) for word in mixed)
        text = f"{text} [letters of different scripts: {codes}]"
    return text


def _mixes_scripts(word: str) -> bool:
    """Return True if a word has letters from a to z together with letters of another alphabet."""
    has_ascii_letter = False
    has_other_alphabet = False
    for char in word:
        if not char.isalpha():
            continue
        if char.isascii():
            has_ascii_letter = True
        elif not unicodedata.name(char, "").startswith("LATIN"):
            has_other_alphabet = True
    return has_ascii_letter and has_other_alphabet
