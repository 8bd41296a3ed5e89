"""The words that a trial's script gave to its calls: they prove nothing, in whatever form a call shows them again."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import unquote

from gates.evidence import SeenText
from gates.terms import NUMBER, fold_text, number_key, parts_of

MAX_OWN_WORDS: Final = 50_000
"""Max own words of one trial that are kept; once there are more, every later text counts as own."""
MAX_SHOWN_WORDS_CHARS: Final = 4_000_000
"""Max characters of texts whose words count as shown."""
_END_CHARS: Final = 100
_ESCAPES: Final = re.compile(r"(?:\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|[bfnrt]))+")
"""Characters that JSON and most languages write by number or letter; tools print them as themselves."""
_LETTERS: Final = re.compile(r"(?<!\w)\w(?:[\W_]{1,8}\w){2,}(?!\w)")
"""Three or more single letters or digits in a row, whatever is between them."""
_BASE64: Final = re.compile(r"(?<![\w+/=-])[\w+/-]{6,}={0,2}(?![\w+/=-])")
_HEXADECIMAL: Final = re.compile(r"(?<!\w)(?:[\da-fA-F]{2}){3,}(?!\w)")
_MAX_CODED_CHARS: Final = 100_000


def forms_of(text: str) -> list[str]:
    """Return a text that was given to a call in every form in which a tool may show it: as it stands, with escapes
    resolved or made, single letters joined, and base64 or hexadecimal decoded."""
    forms = [text, *_escaped(text)]
    if "\\" in text or "&" in text or "%" in text:
        forms += [_unescaped(text), html.unescape(text), unquote(text)]
    forms += ["".join(filter(str.isalnum, found[0])) for found in _LETTERS.finditer(text)]
    if len(text) <= _MAX_CODED_CHARS:
        forms += filter(None, map(_decoded, _BASE64.findall(text)))
        forms += filter(None, map(_decoded_hexadecimal, _HEXADECIMAL.findall(text)))
    return list(dict.fromkeys(forms))


def _unescaped(text: str) -> str:
    def resolve(found: re.Match[str]) -> str:
        return str(json.loads(f'"{found[0].replace(chr(92) + "x", chr(92) + "u00")}"'))

    return _ESCAPES.sub(resolve, text)


def _escaped(text: str) -> list[str]:
    """Return a text as a tool writes it as JSON: an escaped line break makes `noon` of `oon`."""
    if text.isascii() and text.isprintable() and "\\" not in text and '"' not in text:
        return []
    return [json.dumps(text, ensure_ascii=is_ascii) for is_ascii in {True, text.isascii()}]


def _decoded(code: str) -> str:
    plain = code.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() else ""


def _decoded_hexadecimal(code: str) -> str:
    try:
        text = bytes.fromhex(code).decode("utf-8")
    except ValueError:
        return ""
    return text if text.isprintable() else ""


class OwnWords:
    """The words that a trial's script gave to calls that may change something, before any call had shown them.

    They are runs of letters and digits, and numbers in any format. A tool may store words that it is given, join them,
    and print them later at any path: they are still the script's own.
    """

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._shown: set[str] = set()
        self._learnt = 0
        self._room = MAX_SHOWN_WORDS_CHARS
        self._end = ""
        """The word with which the latest text ended: a tool may join the next text to it."""

    def give(self, given: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Learn the texts that a call is given after `seen` was seen."""
        for text in seen[self._learnt :]:
            if text.is_proof and self._room > 0:
                self._room -= len(text.text)
                self._shown |= _words_of(fold_text(text.text)) - _words_of(fold_text(text.echoed))
        self._learnt = len(seen)
        for stored in given:
            folded = fold_text(_unescaped(stored))
            joined = parts_of(self._end + folded)
            if not self._are_too_many:
                words = {word for form in forms_of(stored) for word in _words_of(fold_text(form))}
                self._own |= {*words, *joined[:1]} - self._shown
            self._end = joined[-1][-_END_CHARS:] if joined and folded[-1:].isalnum() else ""

    def within(self, text: str) -> tuple[str, bool]:
        """Return the own words of a text, and whether all of its words are own; with too many own words all are."""
        if not self._own or self._are_too_many:
            return (text, True) if self._own else ("", False)
        folded = fold_text(text)
        words = set(parts_of(folded))
        numbers = (number for number in NUMBER.findall(folded) if _number_key(number) in self._own)
        return "\n".join(sorted({*self._own & words, *numbers})), set() < words <= self._own

    @property
    def _are_too_many(self) -> bool:
        return len(self._own) > MAX_OWN_WORDS


def _words_of(folded: str) -> set[str]:
    return {*parts_of(folded), *map(_number_key, NUMBER.findall(folded))}


def _number_key(number: str) -> str:
    return f"#{number_key(number)}"
