"""Compares names as people write them, ignoring accents, titles and the order of words.

"Zoe Mueller" means `Dr. Zoë Müller`. A letter such as `ü` is written `u` by some people and `ue`
by others, so each word of a name is compared in both spellings.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Final, TypeVar

from controlplane.gates.text_folding import fold_text

# Compares words as people write them, ignoring case and separators.
#
# "18V drill" and the product `Drill 18 V` have the same normal words: `18`, `v` and `drill`. People
# also name things by one word that no other thing has: "the Lombok branch" is `Utrecht Lombok`.

Key = TypeVar("Key")


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
"""The comma in `2,5`, but not in `1,200`."""
_BETWEEN_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
"""The place between `18` and `V` in `18V`."""
_NO_WORD: Final = re.compile(
    r"[^\w.]+"  # blanks and signs
    r"|_"
    r"|(?<!\d)\.|\.(?!\d)"  # a point, except between digits: `2.5`
)
"""What separates words."""
_PIECES: Final = frozenset({"pcs", "piece", "pieces", "stk"})
"""Words for pieces, which all become `pc`."""


def normal_words(text: str) -> str:
    """Return a text's words in lower case with single blanks: `18V, 2,5 kg` -> `18 v 2.5 kg`.

    Numbers and units are separated, decimal commas become points, and words for pieces
    become `pc`: `2 pcs` -> `2 pc`.
    """
    lower = unicodedata.normalize("NFKC", text).casefold()
    with_points = _DECIMAL_COMMA.sub(".", lower)
    with_units_apart = _BETWEEN_NUMBER_AND_UNIT.sub(" ", with_points)
    words = []
    for word in _NO_WORD.sub(" ", with_units_apart).split():
        if word in _PIECES:
            word = "pc"
        words.append(word)
    return " ".join(words)


def identified_by_words(
    words_by_key: Mapping[Key, Collection[str]], query: Set[str]
) -> list[Key]:
    """Return the keys that the words of a query identify.

    `{"store_1": ["utrecht", "lombok"], "store_2": ["utrecht", "centre"]}`, `{"lombok"}` ->
    `["store_1"]`. A key is identified if it has words that no other key has, and the query
    contains all of these.
    """
    keys_with_word: Counter[str] = Counter()  # the number of keys with each word
    for words in words_by_key.values():
        keys_with_word.update(set(words))
    identified = []
    for key, words in words_by_key.items():
        unique_words = {word for word in words if keys_with_word[word] == 1}
        if unique_words and unique_words <= query:
            identified.append(key)
    return identified


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
