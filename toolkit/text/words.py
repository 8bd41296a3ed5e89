"""The normal form in which words of requests, names and records are compared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Set
from typing import Final, TypeVar

Key = TypeVar("Key")
_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
_NO_WORD: Final = re.compile(r"[^\w.]+|_|(?<!\d)\.|\.(?!\d)")
_PIECES: Final = frozenset({"pcs", "piece", "pieces", "stk"})


def normal_words(text: str) -> str:
    """Return lower-case words with single blanks: `18V, 2 pcs` is `18 v 2 pc`. Decimal commas become points."""
    folded = _DECIMAL_COMMA.sub(".", unicodedata.normalize("NFKC", text).casefold())
    spaced = _NO_WORD.sub(" ", _NUMBER_AND_UNIT.sub(" ", folded))
    return " ".join("pc" if word in _PIECES else word for word in spaced.split())


def holds_words(text: str, words: str) -> bool:
    """Say whether a normal form holds another as whole words in a row."""
    return bool(words) and f" {words} " in f" {text} "


def names_match(candidate: str, query: str) -> bool:
    """Say whether all words of one name are words of the other, in any order. An empty name matches nothing."""
    left, right = set(normal_words(candidate).split()), set(normal_words(query).split())
    return bool(left and right) and (left <= right or right <= left)


def called_by_own_words(words: Mapping[Key, Collection[str]], asked: Set[str]) -> list[Key]:
    """Return those things of which a text holds all words that no other has. `words` are their words by thing."""
    shared = Counter(word for each in words.values() for word in set(each))
    own = {key: {word for word in each if shared[word] == 1} for key, each in words.items()}
    return [key for key, each in own.items() if each and each <= asked]
