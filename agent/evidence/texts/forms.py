"""The forms in which a tool may repeat a text that a script passed to it, such as decoded."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable
from itertools import groupby
from typing import Final
from urllib.parse import unquote

import re2

from controlplane.gates.surrogates import encodable
from controlplane.gates.values.character_table import CharacterTable

# Decodes the words of a text that are base64 or hexadecimal codes.
#
# A script could make up the word `vault`, and pass it as `dmF1bHQ=` to a tool, which returns what it
# decodes. The word is the script's own, and so proves nothing:
#
#     from_base64_and_hex("key dmF1bHQ=")    -> ["vault"]
#     from_base64_and_hex("7661756c74")      -> ["vault"]

_LEAST_CODE_CHARS: Final = 6
"""The shortest base64 or hexadecimal code, in characters.
Ordinary words look like shorter codes."""
_MAX_PADDING: Final = 2
"""How many signs `=` a base64 code may have at its end. They fill it up to four characters."""


def _character_of_code(character: str) -> str:
    """Return a character that a code may have as it is, and a blank for any other one."""
    return character if character.isalnum() or character in "_+/=-" else " "


_CODE_CHARACTERS: Final = CharacterTable(_character_of_code)


def _from_base64_and_hex(text: str) -> list[str]:
    """Return the texts that the base64 and hexadecimal codes in a text stand for."""
    texts: list[str] = []
    for word in text.translate(_CODE_CHARACTERS).split():
        if len(word) < _LEAST_CODE_CHARS:
            continue
        for decoded in (_from_base64(word), _decoded(word, bytes.fromhex)):
            if decoded is not None:
                texts.append(decoded)
    return texts


def _from_base64(word: str) -> str | None:
    """Return the text that a base64 code stands for; None if a word is not a code."""
    code = word.rstrip("=")
    padding = len(word) - len(code)
    if "=" in code or padding > _MAX_PADDING or len(code) < _LEAST_CODE_CHARS:
        return None
    url_safe = code.replace("+", "-").replace("/", "_")
    # A tool may leave out the padding. The decoder ignores padding that is not needed.
    return _decoded(url_safe + "=" * _MAX_PADDING, base64.urlsafe_b64decode)


def _decoded(code: str, decode: Callable[[str], bytes]) -> str | None:
    """Decode a code to a readable text. Return None if that is not possible."""
    try:
        text = decode(code).decode("utf-8")
    except ValueError:
        return None
    is_readable = all(char.isprintable() or char.isspace() for char in text)
    return text if is_readable else None


# A text as a tool may repeat it: with its escapes resolved, or written as JSON.
#
# What a script has passed to a tool is not a fact, even if the tool prints it in another form. So a
# result is compared with each form of the passed text. The escape `\u00e9` stands for `é`:
#
#     without_escapes("caf\u00e9")   -> "café", if the tool resolves escapes
#     as_json("café")                 -> ['"caf\u00e9"', '"café"'], if the tool returns JSON

_ESCAPES: Final = re2.compile(r"(?:\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[bfnrt]))+")
"""Escapes in a row, such as `\\u00e9\\n`. A tool may print the characters that they
stand for. They are resolved together, because an emoji has two: `\\ud83d\\ude00` is 😀."""


def without_escapes(text: str) -> str:
    """Return a text with its escapes resolved: `caf\\u00e9 -> café`, `caf\\xe9 -> café`."""

    def resolve(match: re2._Match) -> str:
        # JSON can resolve them, except `\xe9`, which it writes as `\u00e9`.
        json_escapes = match[0].replace("\\x", "\\u00")
        return str(json.loads(f'"{json_escapes}"'))

    # RE2 refuses a half of a surrogate pair, which `encodable` replaces by `?`.
    return str(_ESCAPES.sub(resolve, encodable(text)))


def as_json(text: str) -> list[str]:
    """Return a text as a tool writes it in JSON; nothing if JSON adds only the quotes around it.

    Some tools escape letters such as `é`, and some do not, so for these there are two forms.
    """
    has_signs_to_escape = not text.isprintable() or "\\" in text or '"' in text
    if text.isascii():
        return [json.dumps(text)] if has_signs_to_escape else []
    return [json.dumps(text), json.dumps(text, ensure_ascii=False)]


# Joins the parts of words that a script passes to a tool in pieces.
#
# A script could make up the word `vault`, and call a database with `select 'va' || 'ult'`, which
# returns the whole word. It is the script's own, and so proves nothing:
#
#     joined("select 'va' || 'ult'")   -> "select 'vault'"

_JOINING_OPERATORS: Final = ("||", "+", "&")
"""The operators that join texts and numbers in most query languages."""


def joined(text: str) -> str:
    """Return a text whose parts are joined, as a query language joins them: `va + ult -> vault`."""
    for operator in _JOINING_OPERATORS:
        text = _joined_at(operator, text)
    return text


def _joined_at(operator: str, text: str) -> str:
    """Return a text without an operator, and without the blanks and quotation marks beside it.

    `'va' || 'ult'` -> `'vault'`
    """
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


# Finds the words that a script passes to a tool character by character.
#
# A script could make up the word `vat`, and pass it in letters or in their codes. A tool may return the
# whole word, which is the script's own, and so proves nothing:
#
#     spelled_words("['v', 'a', 't']")                    -> ["vat"]
#     from_character_codes("select char(118, 97, 116)")   -> ["vat"]

_LEAST_LETTERS: Final = 3
"""The fewest single letters in a row that may spell a word. Other characters may separate them."""
_MOST_GAP_CHARS: Final = 8
"""The most characters between two letters of a spelled word. `'v', 'a'` has four: `', '`."""
_CHARACTER_CODES: Final = re2.compile(r"(?:[0-9]{2,6}[\s,;]{1,3}){2,}[0-9]{2,6}")
"""Three or more numbers in a row, which may be character codes: `118, 97, 116`. They have
at most six digits, as `chr` takes no number above 1,114,111."""


def _spelled_words(text: str) -> list[str]:
    """Return the words that single letters or digits in a row spell: `['v', 'a', 't'] -> vat`."""
    words: list[str] = []
    letters = ""  # of the word that is spelled at this place
    for is_word, chars in groupby(text, str.isalnum):
        run = "".join(chars)
        if is_word and len(run) == 1:
            letters += run
        elif is_word or len(run) > _MOST_GAP_CHARS:
            # A longer word, or a wide gap, ends a spelled word. A short gap is passed over.
            words.append(letters)
            letters = ""
    words.append(letters)
    return [word for word in words if len(word) >= _LEAST_LETTERS]


def _from_character_codes(text: str) -> list[str]:
    """Return the texts that numbers in a row spell as character codes: `118, 97, 116 -> vat`."""
    texts: list[str] = []
    for match in _CHARACTER_CODES.finditer(text):
        numbers = match[0].replace(",", " ").replace(";", " ").split()
        texts.append("".join(chr(int(number)) for number in numbers))
    return texts


# Returns the forms in which a tool may repeat a text that a script passed to it.
#
# An answer may only state what the trial has read. A script could cheat: it passes the code
# `dmF1bHQ=` to a tool that decodes it, and cites the result, `vault`. But this word is the script's
# own. To recognise such words in a result, what a script passes is brought into each form in which a
# tool may return it: with escapes resolved or added, with parts joined, or decoded.

_MOST_DECODED_CHARS: Final = 100_000
"""The longest text, in characters, in which joined parts and codes are looked for. This is slow."""


def forms_of(text: str) -> list[str]:
    """Return every form in which a tool may repeat a text, each once, the text itself first.

    | a script passes     | a tool returns | found by                |
    | ------------------- | -------------- | ----------------------- |
    | `é`                 | `\\u00e9`      | `as_json`               |
    | `caf\\u00e9`        | `café`         | `without_escapes`       |
    | `R&amp;D`           | `R&D`          | `html.unescape`         |
    | `caf%C3%A9`         | `café`         | `unquote`               |
    | `['v', 'a', 't']`   | `vat`          | `_spelled_words`         |
    | `old_vault`         | `old vault`    | `replace`               |
    | `'va' + 'ult'`      | `'vault'`      | `joined`                |
    | `118, 97, 116`      | `vat`          | `_from_character_codes`  |
    | `dmF1bHQ=`          | `vault`        | `_from_base64_and_hex`   |
    """
    # `encodable` replaces characters that UTF-8 and RE2 refuse: a half of a surrogate pair
    # without the other. A decoded form may have one even if the text has none.
    text = encodable(text)
    forms = [text, *as_json(text)]
    # Most texts have none of these signs, and so none of these forms.
    if "\\" in text:
        forms.append(without_escapes(text))
    if "&" in text:
        forms.append(html.unescape(text))
    if "%" in text:
        forms.append(unquote(text))
    forms += _spelled_words(text)
    if "_" in text:
        forms.append(text.replace("_", " "))
    if len(text) <= _MOST_DECODED_CHARS:
        if any(operator in text for operator in _JOINING_OPERATORS):
            forms.append(joined(text))
        forms += _from_character_codes(text)
        forms += _from_base64_and_hex(text)

    distinct_forms = dict.fromkeys(encodable(form) for form in forms)
    return [form for form in distinct_forms if form]
