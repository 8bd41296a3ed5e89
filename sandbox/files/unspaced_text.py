"""Texts of languages that write no blanks between words: Chinese, Japanese, Thai and others.

A word index would take a whole sentence as one word. A run of such letters is indexed as
its overlapping pairs of letters instead: `東京駅` is indexed as the three words `東京`, `京駅`
and `駅`. A request is split in the same way, except for the last single letter. So `京駅` and
the single letter `駅` both find that text.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

import re2

_RUN_WITHOUT_BLANKS: Final = re2.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+"
)
"""Matches consecutive letters of languages that write no blanks between words."""


def has_unspaced_letters(text: str) -> bool:
    """Return True if a text has a letter of a language without blanks between words."""
    return _RUN_WITHOUT_BLANKS.search(text) is not None


@dataclass(frozen=True, slots=True)
class _ScriptPart:
    """A part of a text whose letters are all of languages without blanks, or all of others."""

    text: str
    is_unspaced: bool
    """True if the letters are of languages without blanks between words, such as Japanese."""


def parts_by_script(text: str) -> list[_ScriptPart]:
    """Split a text where letters with and without blanks between words meet.

    `at東京` -> `at`, `東京`.
    """
    parts = []
    end_of_last_run = 0
    for run in _RUN_WITHOUT_BLANKS.finditer(text):
        parts.append(
            _ScriptPart(text[end_of_last_run : run.start()], is_unspaced=False)
        )
        parts.append(_ScriptPart(run[0], is_unspaced=True))
        end_of_last_run = run.end()
    parts.append(_ScriptPart(text[end_of_last_run:], is_unspaced=False))
    return parts


def without_marks(run: str) -> str:
    """Return a run of letters without their marks: of Thai `กิน`, the `ก` and the `น`.

    SQLite's full-text index (FTS5) would split the word at the vowel sign between them.
    """
    letters = []
    for character in run:
        is_mark = unicodedata.category(character).startswith("M")
        if not is_mark:
            letters.append(character)
    return "".join(letters)


def _letter_pairs(run: str) -> list[str]:
    """Return the overlapping pairs of letters: `東京駅` -> `東京`, `京駅`. A single letter stays alone."""
    letters = without_marks(run)
    if len(letters) < 2:
        return [letters]
    pairs = []
    for index in range(len(letters) - 1):
        pairs.append(letters[index : index + 2])
    return pairs


# Words of an index


def query_words(word: str) -> list[str]:
    """Return the words by which a request for `word` is looked up: `東京駅` -> `東京`, `京駅`."""
    if word.isascii():
        return [word]
    words: list[str] = []
    for part in parts_by_script(word):
        if part.is_unspaced:
            words.extend(_letter_pairs(part.text))
        else:
            words.append(part.text)
    return [word for word in words if word]


def indexed_text(text: str) -> str:
    """Return a folded text with the words under which it is indexed: `駅東京` -> `駅東 東京 京`.

    Every letter must begin one of the words, so that a request for a single letter
    finds it. So the last letter of a run is a word of its own.
    """
    if text.isascii():
        return text
    parts: list[str] = []
    for part in parts_by_script(text):
        if part.is_unspaced:
            # A vowel sign of Thai, for example, is a mark and not a letter: the index ignores it.
            last_letter = part.text[-1]
            words = [*_letter_pairs(part.text), last_letter]
            parts.append(f" {' '.join(words)} ")
        else:
            parts.append(part.text)
    return "".join(parts)
