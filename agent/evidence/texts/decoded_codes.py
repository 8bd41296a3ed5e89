"""Decodes the codes in a text that a script passes to a tool: base64 and the like.

A script passes `dmF1bHQ=`, and the tool returns what it decodes, `vault`. The word is the
script's own, and so proves nothing.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Final

import re2

from controlplane.agent.evidence.texts.written_words import KeptCharacters

_CHARACTER_CODES: Final = re2.compile(r"(?:[0-9]{2,6}[\s,;]{1,3}){2,}[0-9]{2,6}")
"""Three or more numbers in a row, which may be character codes: `118, 97, 117`. They have
at most six digits. Each such number is below 1,114,112, so it is the code of a character."""


def from_character_codes(text: str) -> list[str]:
    """Return the texts that numbers in a row spell as character codes: `118, 97, 116 -> vat`."""
    texts: list[str] = []
    for match in _CHARACTER_CODES.finditer(text):
        numbers = match[0].replace(",", " ").replace(";", " ").split()
        texts.append("".join(chr(int(number)) for number in numbers))
    return texts


_CODE_CHARACTERS: Final = KeptCharacters("_+/=-")
"""A table for `str.translate` that keeps the characters of codes, and makes others blanks."""
LEAST_CODE_CHARS: Final = 6
"""The shortest base64 or hexadecimal code, in characters.
Ordinary words look like shorter codes."""
MAX_PADDING: Final = 2
"""How many signs `=` a base64 code may have at its end. They fill it up to four characters."""


def from_base64_and_hex(text: str) -> list[str]:
    """Return the texts that the base64 and hexadecimal codes in a text stand for.

    `key dmF1bHQ=, 7661756c74` -> `vault`, `vault`
    """
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
