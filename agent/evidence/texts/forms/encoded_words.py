"""Decodes the words of a text that are base64 or hexadecimal codes.

A script could make up the word `vault`, and pass it as `dmF1bHQ=` to a tool, which returns what it
decodes. The word is the script's own, and so proves nothing:

    from_base64_and_hex("key dmF1bHQ=")    -> ["vault"]
    from_base64_and_hex("7661756c74")      -> ["vault"]
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Final

from controlplane.gates.values.character_table import CharacterTable

LEAST_CODE_CHARS: Final = 6
"""The shortest base64 or hexadecimal code, in characters.
Ordinary words look like shorter codes."""
MAX_PADDING: Final = 2
"""How many signs `=` a base64 code may have at its end. They fill it up to four characters."""


def _character_of_code(character: str) -> str:
    """Return a character that a code may have as it is, and a blank for any other one."""
    return character if character.isalnum() or character in "_+/=-" else " "


_CODE_CHARACTERS: Final = CharacterTable(_character_of_code)


def from_base64_and_hex(text: str) -> list[str]:
    """Return the texts that the base64 and hexadecimal codes in a text stand for."""
    texts: list[str] = []
    for word in text.translate(_CODE_CHARACTERS).split():
        if len(word) < LEAST_CODE_CHARS:
            continue
        for decoded in (_from_base64(word), _decoded(word, bytes.fromhex)):
            if decoded is not None:
                texts.append(decoded)
    return texts


def _from_base64(word: str) -> str | None:
    """Return the text that a base64 code stands for; None if a word is not a code."""
    code = word.rstrip("=")
    padding = len(word) - len(code)
    if "=" in code or padding > MAX_PADDING or len(code) < LEAST_CODE_CHARS:
        return None
    url_safe = code.replace("+", "-").replace("/", "_")
    # A tool may leave out the padding. The decoder ignores padding that is not needed.
    return _decoded(url_safe + "=" * MAX_PADDING, base64.urlsafe_b64decode)


def _decoded(code: str, decode: Callable[[str], bytes]) -> str | None:
    """Decode a code to a readable text. Return None if that is not possible."""
    try:
        text = decode(code).decode("utf-8")
    except ValueError:
        return None
    is_readable = all(char.isprintable() or char.isspace() for char in text)
    return text if is_readable else None
