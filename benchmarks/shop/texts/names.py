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

# How letters are written without accents. A name may be spelled by either table.
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
"""Plain forms of letters that Unicode does not decompose, which `fold_text` therefore keeps."""
TRANSCRIBED_LETTERS: Final = BARE_LETTERS | str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
)
"""The same, but umlauts and similar letters become two letters: `ü` as in `Mueller`.

So `ø` has two forms, `o` and `oe`; `names_match` tries both.
"""
# Words that may be left out of the name of a person or a branch.
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
_APOSTROPHE: Final = re.compile(r"['’]s\b|(?<=\w)['’](?=\w)")


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
    if _joined(candidate_words) == _joined(query_words):
        return True
    if len(candidate_words) <= len(query_words):
        return all(_is_among(word, query_words) for word in candidate_words)
    return all(_is_among(word, candidate_words) for word in query_words)


def _joined(words: Iterable[Set[str]]) -> str:
    """Return words as one word, so that `Mary Ann` equals `Maryann`.

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
