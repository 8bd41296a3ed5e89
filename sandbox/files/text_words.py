"""The words of a text that say something about its subject.

A word has one form for its upper and lower case, composed and decomposed accents, and
letters of full width.
"""

from __future__ import annotations

import unicodedata
from typing import Final

import re2

from controlplane.sandbox.files.unspaced_text import (
    has_unspaced_letters,
    parts_by_script,
    query_words,
    without_marks,
)
from controlplane.sandbox.interface import bounds

_WORD: Final = re2.compile(r"[\pL\pN\pM]+(?:[-_][\pL\pN\pM]+)*")
"""Matches a word, number, id or code: `loan`, `ledger-12`, `key_keeper`."""

_MIN_WORD_CHARS: Final = 3
"""Shorter words, such as `to` and `is`, say little about a subject."""

_COMMON_WORDS: Final = """
about all also and answer any are because been before being but can could did does doing done each
either exactly find for from get give had has have having her hers him his how into its just let
like may might more most much must nor not now off once one only onto other our out own plain please
put reply same say see shall she should show some such take tell than that the their them then there
these they thing things this those too two until upon very want was way were what when where whether
which while who whom whose why will with would yes yet you your
"""
COMMON_WORDS: Final = frozenset(_COMMON_WORDS.split())
"""English words that say nothing about the subject of a request: `which`, `please`, `answer`."""


def folded(text: str) -> str:
    """Return a text with one form for each letter: `ＣＡＦE\u0301` -> `café`."""
    if text.isascii():
        return text.lower()
    if not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    # Case folding decomposes some letters again, for example the Turkish capital I with a dot.
    return unicodedata.normalize("NFC", text.casefold())


def comparable_text(text: str) -> str:
    """Return the form of a text in which a word of `words_of` can be found.

    `words_of` folds words and, in languages without blanks, removes marks such as Thai
    vowels. This form has the same changes, so `word in comparable_text(text)` works.
    """
    text = folded(text)
    if text.isascii():
        return text
    parts = []
    for part in parts_by_script(text):
        if part.is_unspaced:  # in a language without blanks, such as Chinese or Thai
            parts.append(without_marks(part.text))
        else:
            parts.append(part.text)
    return "".join(parts)


def words_of(text: str) -> list[str]:
    """Return the folded words of a text that say something about its subject, without repetition.

    `Which loans are overdue?` -> `["loans", "overdue"]`. If all its words are common,
    returns them all.
    """
    words: list[str] = []
    for word in _WORD.findall(folded(text[: bounds.MOST_COMPARED_CHARS])):
        words.extend(query_words(word))

    telling_words = [word for word in words if _is_telling(word)]
    without_repetition = dict.fromkeys(telling_words or words)
    return list(without_repetition)


def _is_telling(word: str) -> bool:
    """Return True if a folded word may say something about a subject: `loans`, `b7`, not `which`.

    Common words and very short ones do not.
    """
    if word in COMMON_WORDS:
        return False
    if len(word) >= _MIN_WORD_CHARS:
        return True
    # Short ids such as `b7` say something, and so do short words in languages without blanks.
    return not word.isalpha() or has_unspaced_letters(word)


_ENDING_CHARS: Final = 3
"""The longest English ending: `-s`, `-ed`, `-ing`."""
_MIN_BEGINNING_CHARS: Final = 4
"""A shorter beginning would be shared by too many other words."""


def beginning_of(word: str) -> str:
    """Return a beginning that the other forms of a word share: `returned` -> `retur`.

    An id such as `b7-12` has no other forms, so it is returned as it is.
    """
    if not word.isalpha():
        return word
    return word[: max(_MIN_BEGINNING_CHARS, len(word) - _ENDING_CHARS)]
