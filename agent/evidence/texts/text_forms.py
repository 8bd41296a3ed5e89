"""Returns the forms in which a tool may repeat a text that a script passed to it.

An answer may only state what the trial has read. A script could cheat: it calls a database
with `select 'va' || 'ult'`, and cites the result, `vault`. But this word is the script's
own. To recognise such words in a result, what a script passes is brought into each form
in which a tool may return it: with escapes resolved or added, with parts joined, or
decoded.
"""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from itertools import groupby
from typing import Final
from urllib.parse import unquote

import re2

from controlplane.agent.evidence.texts.words import KeptCharacters
from controlplane.gates.submission import encodable

JOINING_OPERATORS: Final = ("||", "+", "&")
"""The operators that join texts and numbers in most query languages."""
MOST_DECODED_CHARS: Final = 100_000
"""The longest text, in characters, in which joined parts and codes are looked for. This is slow."""


def forms_of(text: str) -> list[str]:
    """Return every form in which a tool may repeat a text, each once, the text itself first.

    | a script passes     | a tool returns | found by                |
    | ------------------- | -------------- | ----------------------- |
    | `é`                 | `\\u00e9`      | `_as_json`              |
    | `caf\\u00e9`        | `café`         | `without_escapes`       |
    | `R&amp;D`           | `R&D`          | `html.unescape`         |
    | `caf%C3%A9`         | `café`         | `unquote`               |
    | `['v', 'a', 't']`   | `vat`          | `_spelled_words`        |
    | `old_vault`         | `old vault`    | `replace`               |
    | `'va' + 'ult'`      | `'vault'`      | `_joined`               |
    | `118, 97, 116`      | `vat`          | `_from_character_codes` |
    | `dmF1bHQ=`          | `vault`        | `_from_base64_and_hex`  |
    """
    text = encodable(text)
    forms = [text, *_as_json(text)]
    if "\\" in text or "&" in text or "%" in text:
        forms += [without_escapes(text), html.unescape(text), unquote(text)]
    forms += _spelled_words(text)
    if "_" in text:
        forms.append(text.replace("_", " "))
    if len(text) <= MOST_DECODED_CHARS:
        if any(operator in text for operator in JOINING_OPERATORS):
            forms.append(_joined(text))
        forms += _from_character_codes(text)
        forms += _from_base64_and_hex(text)

    # `encodable` drops characters that UTF-8 and RE2 refuse: a half of a surrogate pair
    # without the other. A decoded form may have one even if the text has none.
    distinct_forms = dict.fromkeys(encodable(form) for form in forms)
    return [form for form in distinct_forms if form]


# --- Escapes: a tool may resolve those that a script passes, or add its own ---


_ESCAPES: Final = re2.compile(r"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[bfnrt]))+")
"""Escapes in a row, such as `\\u00e9\\n`. A tool may print the characters that they
stand for. They are resolved together, because an emoji has two: `\\ud83d\\ude00` is 😀."""


def without_escapes(text: str) -> str:
    """Return a text with its escapes resolved: `caf\\u00e9 -> café`, `caf\\xe9 -> café`."""

    def resolve(match: re2._Match) -> str:
        # JSON can resolve them, except `\xe9`, which it writes as `\u00e9`.
        json_escapes = match[0].replace("\\x", "\\u00")
        return str(json.loads(f'"{json_escapes}"'))

    return str(_ESCAPES.sub(resolve, encodable(text)))


def _as_json(text: str) -> list[str]:
    """Return a text as a tool writes it in JSON; nothing if JSON does not change it.

    JSON can make new words: a line break before `oon` becomes `\\noon`, which has the word
    `noon`. Some tools escape letters such as `é`, so for these there are two forms.
    """
    has_signs_to_escape = not text.isprintable() or "\\" in text or '"' in text
    if text.isascii():
        return [json.dumps(text)] if has_signs_to_escape else []
    return [json.dumps(text), json.dumps(text, ensure_ascii=False)]


# --- Words in parts: a tool may join what a script passes in pieces ---


LEAST_LETTERS: Final = 3
"""The fewest single letters in a row that may spell a word. Other characters may separate them."""
MOST_GAP_CHARS: Final = 8
"""The most characters between two letters of a spelled word, such as the 4 in `'v', 'a'`."""


def _spelled_words(text: str) -> list[str]:
    """Return the words that single letters or digits in a row spell: `['v', 'a', 't'] -> vat`."""
    words = [""]  # The last one is not complete yet.
    for is_word, chars in groupby(text, str.isalnum):
        run = "".join(chars)
        if is_word and len(run) == 1:
            words[-1] += run
        elif is_word or len(run) > MOST_GAP_CHARS:
            words.append("")  # A longer word, or a wide gap, ends a spelled word.
    return [word for word in words if len(word) >= LEAST_LETTERS]


def _joined(text: str) -> str:
    """Return a text whose parts are joined, as a query language joins them.

    `'va' || 'ult' -> 'vault'`, `va + ult -> vault`
    """
    for operator in JOINING_OPERATORS:
        text = _joined_at(operator, text)
    return text


def _joined_at(operator: str, text: str) -> str:
    """Remove an operator, with the blanks and the quotation mark on each side of it."""
    first, *further_parts = text.split(operator)
    parts = [first]
    for part in further_parts:
        before = parts[-1].rstrip()
        behind = part.lstrip()
        if before.endswith(("'", '"')):
            before = before[:-1]
        if behind.startswith(("'", '"')):
            behind = behind[1:]
        parts[-1] = before
        parts.append(behind)
    return "".join(parts)


# --- Codes: a tool may decode what a script passes in base64, for example ---


_CHARACTER_CODES: Final = re2.compile(r"(?:[0-9]{2,6}[\s,;]{1,3}){2,}[0-9]{2,6}")
"""Three or more numbers in a row, which may be character codes: `118, 97, 117`. They have
at most six digits. Each such number is below 1,114,112, so it is the code of a character."""


def _from_character_codes(text: str) -> list[str]:
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


def _from_base64_and_hex(text: str) -> list[str]:
    """Return the texts that the base64 and hexadecimal codes in a text stand for.

    `key dmF1bHQ=` -> `vault`. A word that is not a code gives an empty text.
    """
    texts: list[str] = []
    for word in text.translate(_CODE_CHARACTERS).split():
        if len(word) >= LEAST_CODE_CHARS:
            texts += [_from_base64(word), _decoded(word, bytes.fromhex)]
    return texts


def _from_base64(word: str) -> str:
    """Return the text that a base64 code stands for. Return "" if a word is not a code."""
    code = word.rstrip("=")
    padding = len(word) - len(code)
    if "=" in code or padding > MAX_PADDING or len(code) < LEAST_CODE_CHARS:
        return ""
    url_safe = code.replace("+", "-").replace("/", "_")
    # A tool may leave out the padding. The decoder ignores padding that is not needed.
    return _decoded(url_safe + "=" * MAX_PADDING, base64.urlsafe_b64decode)


def _decoded(code: str, decode: Callable[[str], bytes]) -> str:
    """Decode a code to a readable text. Return "" if that is not possible."""
    try:
        text = decode(code).decode("utf-8")
    except ValueError:
        return ""
    is_readable = all(char.isprintable() or char.isspace() for char in text)
    return text if is_readable else ""
