"""Compares words and names as people write them, whatever their case, accents and separators.

Folding, numbers, units and currencies are those of `controlplane.gates`. The shop adds only what
gates do not do: people and products have the same name with letters transcribed, words in another
order, and titles left out, while a value in an answer never does.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from typing import Final, TypeVar

from controlplane.gates.text_folding import fold_text
from controlplane.sandbox.functions import CannotRead

Key = TypeVar("Key")
Found = TypeVar("Found")


def sure(value: Found | None, refusal: str) -> Found:
    """Return a value that a workspace tells for certain. Raises `CannotRead` with the refusal if
    the value is empty or false."""
    if not value:
        raise CannotRead(refusal)
    return value


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
_BETWEEN_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
_NO_WORD: Final = re.compile(r"[^\w.]+|_|(?<!\d)\.|\.(?!\d)")
"""All that separates words: any sign but the point within a number."""

BARE_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that Unicode does not decompose, so that `fold_text` keeps them."""
TRANSCRIBED_LETTERS: Final = BARE_LETTERS | str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
)
"""The same with letters as they are transcribed without umlauts: `Mueller`."""
_TITLES: Final = frozenset(
    {"mr", "mrs", "ms", "miss", "dr", "prof", "herr", "frau", "mme", "mag", "the", "branch"}
)
_APOSTROPHE: Final = re.compile(r"['’]s\b|(?<=\w)['’](?=\w)")
_PIECES: Final = frozenset({"pcs", "piece", "pieces", "stk"})


def normal_words(text: str) -> str:
    """Return words in lower case with single blanks; numbers and units are apart, decimal commas
    become points, and words for pieces become `pc`: `18V, 2 pcs` -> `18 v 2 pc`."""
    folded = _DECIMAL_COMMA.sub(".", unicodedata.normalize("NFKC", text).casefold())
    spaced = _NO_WORD.sub(" ", _BETWEEN_NUMBER_AND_UNIT.sub(" ", folded))
    words = []
    for word in spaced.split():
        if word in _PIECES:
            word = "pc"
        words.append(word)
    return " ".join(words)


def holds_words(text: str, words: str) -> bool:
    """Return True if a text has some words in a row; both are in normal words."""
    return bool(words) and f" {words} " in f" {text} "


def names_match(candidate: str, query: str) -> bool:
    """Return True if all words of one name are words of the other, in any order. An empty name
    matches nothing.

    Accents may be missing or transcribed: `Zoë Müller` is `Zoe Muller` and `Zoe Mueller`.
    """
    candidate_words = _spelt_words(candidate)
    query_words = _spelt_words(query)
    if not candidate_words or not query_words:
        return False
    if _joined(candidate_words) == _joined(query_words):
        return True
    fewer_words, more_words = sorted((candidate_words, query_words), key=len)
    return all(_is_among(word, more_words) for word in fewer_words)


def _joined(words: Iterable[Set[str]]) -> str:
    """Return the shortest spellings of words as one word: `Mary Ann` is `Maryann`."""
    return "".join(min(spellings, key=len) for spellings in words)


def _is_among(spellings: Set[str], words: Iterable[Set[str]]) -> bool:
    """Return True if one of several words has a spelling of this one."""
    return any(not spellings.isdisjoint(word) for word in words)


def _spelt_words(name: str) -> list[set[str]]:
    """Return the two spellings of each word of a name, without accents and transcribed; titles are
    left out.

    `Dr. Jörg` -> `[{"jorg", "joerg"}]`
    """
    plain_name = _APOSTROPHE.sub("", name.replace("İ", "I"))
    words = []
    for word in normal_words(plain_name).split():
        bare = fold_text(word.translate(BARE_LETTERS))
        transcribed = fold_text(word.translate(TRANSCRIBED_LETTERS))
        if bare not in _TITLES and transcribed not in _TITLES:
            words.append({bare, transcribed})
    return words


def called_by_own_words(words: Mapping[Key, Collection[str]], asked: Set[str]) -> list[Key]:
    """Return the things that some asked words identify. `words` are the words of each thing.

    A thing is identified if it has words that no other thing has and all of them are asked.
    """
    owners: Counter[str] = Counter()
    for own_words in words.values():
        owners.update(set(own_words))
    called = []
    for key, own_words in words.items():
        unique_words = {word for word in own_words if owners[word] == 1}
        if unique_words and unique_words <= asked:
            called.append(key)
    return called
