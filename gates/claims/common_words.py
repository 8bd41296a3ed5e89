"""Tells which words of a reason say nothing of a document, because other documents that were read hold them too.

Source: "the rule for this" fits any page. What sets a page apart from the others is what it is cited for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import Final

from gates.facts import TrialFacts

LEAST_OTHERS: Final = 3
"""How many other documents must have been read, so that a word can be called common."""
MAX_OTHERS: Final = 12
"""How many of them are looked at."""
_SHORT: Final = 4
"""A word of up to so many letters is common if one other document holds it, a longer one if two do."""


def telling_words(words: Iterable[str], path: str, facts: TrialFacts) -> list[str]:
    """Return folded words of a reason for the document at `path`, without those that are common to documents.

    Those are of letters alone. For anything but a document, and where fewer than three others of its form were read,
    every word tells.
    """
    kin = (each for each in facts.documents if each != path and _ending(each) == _ending(path))
    others = [facts.evidence.touches[each] for each in islice(kin, MAX_OTHERS)]
    if path not in facts.documents or len(others) < LEAST_OTHERS:
        return list(words)
    given = list(words)
    of_letters = frozenset(filter(str.isalpha, given))
    holding = Counter(word for each in others for word in each.held_words(of_letters))
    return [word for word in given if holding[word] <= (0 if len(word) <= _SHORT else 1)]


def _ending(path: str) -> str:
    return path.rpartition(".")[2].casefold()
