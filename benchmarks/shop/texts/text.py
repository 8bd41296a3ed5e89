"""Compares words as people write them, ignoring case and separators.

"18V drill" and the product `Drill 18 V` have the same normal words: `18`, `v` and `drill`. People
name things by some of their words, too: "the Lombok branch" is the only one with this word.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Set
from typing import Final, TypeVar

Key = TypeVar("Key")


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
_BETWEEN_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
_NO_WORD: Final = re.compile(
    r"[^\w.]+"  # blanks and signs
    r"|_"
    r"|(?<!\d)\.|\.(?!\d)"  # a point, except between digits: `2.5`
)
"""What separates words."""
_PIECES: Final = frozenset({"pcs", "piece", "pieces", "stk"})


def normal_words(text: str) -> str:
    """Return a text's words in lower case with single blanks: `18V, 2 pcs` -> `18 v 2 pc`.

    Numbers and units are separated, decimal commas become points, and words for pieces
    become `pc`.
    """
    folded = _DECIMAL_COMMA.sub(".", unicodedata.normalize("NFKC", text).casefold())
    spaced = _NO_WORD.sub(" ", _BETWEEN_NUMBER_AND_UNIT.sub(" ", folded))
    words = []
    for word in spaced.split():
        if word in _PIECES:
            word = "pc"
        words.append(word)
    return " ".join(words)


def identified_by_words(
    words_by_key: Mapping[Key, Collection[str]], query: Set[str]
) -> list[Key]:
    """Return the keys that the words of a query identify.

    A key is identified if it has words that no other key has, and the query contains
    all of these. For the keys `Utrecht Lombok` and `Utrecht Centre`, the query `lombok`
    identifies the first.
    """
    number_of_keys: Counter[str] = Counter()  # with each word
    for words in words_by_key.values():
        number_of_keys.update(set(words))
    identified = []
    for key, words in words_by_key.items():
        unique_words = {word for word in words if number_of_keys[word] == 1}
        if unique_words and unique_words <= query:
            identified.append(key)
    return identified
