"""Compares words and names as people write them, ignoring case, accents and separators.

"Zoe Mueller" means `Dr. Zoë Müller`, and "18V drill" the product `Drill 18 V`. The first two
functions are for all modules of shops: they refuse what is not certain.
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


def require(condition: object, refusal: str) -> None:
    """Raise `CannotRead` with a refusal as its message if a condition is false or empty.

    A function for scripts then has no result, and the script shows the refusal to the model.
    """
    if not condition:
        raise CannotRead(refusal)


def value_or_raise(value: Found | None, refusal: str) -> Found:
    """Return a value. Raise `CannotRead` with a refusal as its message if it is empty or None.

    `branch = value_or_raise(found_branch, "no branch has this name")`
    """
    if not value:
        raise CannotRead(refusal)
    return value


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}\b)")
_BETWEEN_NUMBER_AND_UNIT: Final = re.compile(r"(?<=\d)(?=[^\W\d_])")
_NO_WORD: Final = re.compile(
    r"[^\w.]+"  # blanks and signs
    r"|_"
    r"|(?<!\d)\.|\.(?!\d)"  # a point, except between digits: `2.5`
)
"""What separates words."""

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
