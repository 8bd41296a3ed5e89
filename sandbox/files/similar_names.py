"""The name that somebody probably meant who named a file that does not exist."""

from __future__ import annotations

from posixpath import commonprefix
from typing import Final

# Similar names

MIN_SIMILARITY: Final = 0.7
"""A name is suggested for a missing one if they are at least this similar,
from 0 to 1, such as `adress.md` and `address.md` (`_similarity`)."""


def most_similar_name(missing: str, names: list[str]) -> str | None:
    """Return the name that is most similar to a missing one; None if none is similar."""
    best_name = None
    best_similarity = 0.0
    for name in names:
        similarity = _similarity(missing.casefold(), name.casefold())
        if similarity > best_similarity:
            best_name = name
            best_similarity = similarity
    if best_similarity < MIN_SIMILARITY:
        return None
    return best_name


def _similarity(name: str, other: str) -> float:
    """Return how similar two names are, from 0 to 1.

    It is the share of the longer name that their common beginning and end make up.
    `adress` and `address` have `ad` and `ress` in common: 6 of 7 characters.
    """
    shared_start = len(commonprefix([name, other]))
    name_rest = name[shared_start:]
    other_rest = other[shared_start:]
    shared_end = len(commonprefix([name_rest[::-1], other_rest[::-1]]))
    return (shared_start + shared_end) / max(len(name), len(other), 1)
