"""Searches the records of products for words, such as those of a customer's description."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import Catalogue
from controlplane.benchmarks.shop.products.product import Product
from controlplane.benchmarks.shop.texts.text import require
from controlplane.benchmarks.shop.workspace.word_search import WordSearch
from controlplane.sandbox.functions import CannotRead

MAX_CANDIDATES: Final = 120
"""The most products to read for one description. If more fit, the description is too vague."""
MAX_CLOSEST: Final = 3
"""The number of closest products that a message names."""


@dataclass(frozen=True, slots=True)
class WordMatches:
    """The result of a search for words in the records of products."""

    products: list[Product]
    """The products that contain every word that occurs in any record."""
    paths_by_word: Mapping[str, set[str]]
    """The paths of the records that contain each word. Words in too many records are left out."""

    @property
    def unknown_words(self) -> list[str]:
        """The words that occur in no record."""
        return [word for word, paths in self.paths_by_word.items() if not paths]


def products_with_words(catalogue: Catalogue, words: Iterable[str]) -> WordMatches:
    """Return the products whose records contain all these words.

    A word is ignored if no record contains it, or if so many do that the search is cut
    off. Raises `CannotRead` if more than `MAX_CANDIDATES` products remain.
    """
    paths_by_word: dict[str, set[str]] = {}
    for word in dict.fromkeys(words):
        paths = _paths_with(catalogue, word)
        if paths is not None:
            paths_by_word[word] = paths

    if paths_by_word:
        candidates = _in_all([paths for paths in paths_by_word.values() if paths])
        count = str(len(candidates))
    else:  # Every word is in too many records.
        candidates = set(catalogue.group.paths)
        count = "too many"
    refusal = f"{count} products may be meant: name the brand as well"
    require(len(candidates) <= MAX_CANDIDATES, refusal)
    products = catalogue.read(
        path for path in catalogue.group.paths if path in candidates
    )
    return WordMatches(products, paths_by_word)


def _paths_with(catalogue: Catalogue, word: str) -> set[str] | None:
    """Return the paths of the records that contain a word.

    The result is None if the search finds too many.
    """
    search = WordSearch([word])
    try:
        lines = catalogue.lines_with(search.pattern)
    except CannotRead:
        return None
    return {path for path, line in lines if search.keeps(line)}


def _in_all(path_sets: list[set[str]]) -> set[str]:
    """Return the paths that are in all sets; none if there is no set."""
    return set.intersection(*path_sets) if path_sets else set()


def closest_products(catalogue: Catalogue, matches: WordMatches) -> str:
    """Return the products with the most of the searched words, for the end of a message.

    `; closest: AB-1 Lea tarp, AB-2 Lea tent`; empty if no product has any of the words.
    """
    word_counts: Counter[str] = Counter()
    for paths in matches.paths_by_word.values():
        word_counts.update(paths)
    best_paths = sorted(word_counts, key=lambda path: (-word_counts[path], path))
    products = catalogue.read(best_paths[:MAX_CLOSEST])
    if not products:
        return ""
    names = ", ".join(f"{product.code} {product.name}" for product in products)
    return f"; closest: {names}"
