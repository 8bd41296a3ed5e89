"""Compares names as people write them, ignoring accents, titles and the order of words.

"Zoe Mueller" means `Dr. Zoë Müller`. A letter such as `ü` is written `u` by some people and `ue`
by others, so each word of a name is compared in both spellings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from typing import Final

from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.gates.text_folding import fold_text

BARE_LETTERS: Final = str.maketrans(
    {
        "ø": "o",
        "ł": "l",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "ı": "i",
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
    }
)
"""How letters are written without their accent or stroke: `ø` as `o`.

`fold_text` does this for letters such as `ü`, which Unicode decomposes into `u` and an accent.
"""
TRANSCRIBED_LETTERS: Final = BARE_LETTERS | str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
)
"""How letters are transcribed, some of them by two letters: `ø` as `oe`, and `ü` as `ue`.

A name may be written in either way, so `names_match` tries both.
"""
_TITLES: Final = frozenset(
    {
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "prof",
        "herr",
        "frau",
        "mme",
        "mag",
        "the",
        "branch",
    }
)
"""Words that may be left out of the name of a person or a branch."""
_APOSTROPHE: Final = re.compile(r"['’]s\b|(?<=\w)['’](?=\w)")
"""The `'s` of `Ada's`, and the apostrophe in `O'Neill`."""


def names_match(candidate: str, query: str) -> bool:
    """Return True if all words of one name occur in the other, in any order.

    Accents may be missing or transcribed: `Zoë Müller` is `Zoe Muller` and `Zoe
    Mueller`. An empty name matches nothing.
    """
    # Each word is the set of its spellings: `{"muller", "mueller"}`.
    candidate_words = _spelt_words(candidate)
    query_words = _spelt_words(query)
    if not candidate_words or not query_words:
        return False
    if _joined(candidate_words) == _joined(query_words):  # `Mary Ann`, `Maryann`
        return True
    shorter, longer = candidate_words, query_words
    if len(shorter) > len(longer):
        shorter, longer = longer, shorter
    return all(_is_among(word, longer) for word in shorter)


def _joined(words: Iterable[Set[str]]) -> str:
    """Return the words of a name as one word: `maryann` for `Mary Ann`.

    Of each word's spellings, the shortest one is used: that without accents.
    """
    return "".join(min(spellings, key=len) for spellings in words)


def _is_among(spellings: Set[str], words: Iterable[Set[str]]) -> bool:
    """Return True if one of the words shares a spelling with this one."""
    return any(not spellings.isdisjoint(word) for word in words)


def _spelt_words(name: str) -> list[set[str]]:
    """Return the spellings of each word of a name: without accents, and transcribed.

    Titles are left out. `Dr. Jörg` -> `[{"jorg", "joerg"}]`
    """
    # The lower case of the Turkish `İ` is two characters, an `i` and a dot.
    plain_name = _APOSTROPHE.sub("", name.replace("İ", "I"))
    words = []
    for word in normal_words(plain_name).split():
        bare = fold_text(word.translate(BARE_LETTERS))
        transcribed = fold_text(word.translate(TRANSCRIBED_LETTERS))
        if bare not in _TITLES and transcribed not in _TITLES:
            words.append({bare, transcribed})
    return words
