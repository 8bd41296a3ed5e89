"""Compares words as people write them, ignoring case and separators.

"18V drill" and the product `Drill 18 V` have the same normal words: `18`, `v` and `drill`. People
also name things by one word that no other thing has: "the Lombok branch" is `Utrecht Lombok`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Set
from typing import Final, TypeVar

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
