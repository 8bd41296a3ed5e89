"""Compares words and compounds by stem: `checked_out`, "checked out" and "checkout" have one. No dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gates.types.terms import fold_text

MAX_CHARS: Final = 20_000
_WORD: Final = re.compile(r"[^\W_]+")
_ENDINGS: Final = (
    *("ments", "ment", "ations", "ation", "ings", "ing", "ures", "ure"),
    *("als", "al", "ies", "ied", "es", "ed", "s", "e", "y"),
)
_LEAST_STEM: Final = 3
_LONGEST_COMPOUND: Final = 4
_MAX_WORD_CHARS: Final = 60


@lru_cache(maxsize=4_096)
def stem_of(word: str) -> str:
    """Return what the inflected forms of a folded word share: one common ending and a doubled consonant are cut off."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > _LEAST_STEM and word[-1] == word[-2] and word[-1] not in "aeiou" else word


@lru_cache(maxsize=4_096)
def compound_stem(compound: str) -> str:
    """Return the one stem of a compound, its parts joined: `checked_out` and "checked out" give the same."""
    return "".join(map(stem_of, _WORD.findall(fold_text(compound))))


@dataclass(frozen=True, slots=True)
class Mention:
    """One to four words of a text that stand side by side, as one stem."""

    stem: str
    start: int
    """Index of its first character in the text."""
    end: int


def mentions_in(text: str) -> Iterator[Mention]:
    """Yield every one to four neighbouring words of the first 20,000 characters of `text` as one stem."""
    head = text[:MAX_CHARS]
    words = [
        (stem_of(fold_text(found[0][:_MAX_WORD_CHARS])), found.start(), found.end()) for found in _WORD.finditer(head)
    ]
    for first in range(len(words)):
        joined = ""
        for stem, _, end in words[first : first + _LONGEST_COMPOUND]:
            joined += stem
            yield Mention(joined, words[first][1], end)


def stems_in(text: str) -> frozenset[str]:
    """Return the stems of all words and compounds that `text` may hold."""
    return frozenset(each.stem for each in mentions_in(text))
