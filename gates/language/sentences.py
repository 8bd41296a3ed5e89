"""Splits a text into sentences, and blanks out what its writer only quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

MAX_SENTENCE: Final = 1_500
_SENTENCE: Final = re.compile(r"\S[^\n]*?(?:[.!?](?=\s)|(?=\n)|$)")
_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"(?m)^ ?>[^\n]*$")
_QUOTED: Final = re.compile(r"\"[^\"\n]{1,400}\"|(?<!\w)'[^'\n]{1,400}'(?!\w)")
_PROSE: Final = re.compile(r"(?:[^\W\d_]{2,}\W+){2,}[^\W\d_]{2,}")
_FORM: Final = re.compile(r"%[0-9.]*[dsf]|\|")


def own_words(text: str) -> str:
    """Return `text` with quoted lines, fenced blocks and quoted prose blanked out, every other character in its place.

    A quotation that holds a placeholder alone is a form, not a quotation.
    """
    for pattern in (_FENCED, _QUOTED_LINE) if "```" in text or ">" in text else ():
        text = pattern.sub(_blank, text)
    return _QUOTED.sub(_blank_prose, text) if '"' in text or "'" in text else text


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found[0])


def _blank_prose(found: re.Match[str]) -> str:
    quoted = found[0][1:-1]
    if not _PROSE.search(quoted) or (
        _FORM.search(quoted) and not re.search(r"\b(?:answer|give|reply|return)\b", quoted, re.I)
    ):
        return found[0]
    return found[0][0] + "·" * len(quoted) + found[0][-1]


def sentences_of(text: str) -> Iterator[tuple[str, int]]:
    """Yield the sentences of `text`, each with the place where it begins; leave out what is too long to be prose."""
    for found in _SENTENCE.finditer(text):
        if len(found[0]) <= MAX_SENTENCE:
            yield found[0].rstrip(), found.start()
