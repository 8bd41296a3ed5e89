"""Searches the records of products for the words of a customer's description.

"Osier sand tarp" -> the products whose records have the words `osier`, `sand` and `tarp`.
The environment searches each word and returns at most a number of lines. A word with more
lines, such as one that all products have, does not narrow the search and is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.products.catalogue import Catalogue
from controlplane.benchmarks.shop.products.product import Product
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
    """The products that contain all known words."""
    paths_by_word: Mapping[str, set[str]]
    """The paths of the records that contain each word: none for an unknown word.

    It lacks the words that are in too many records.
    """

    @property
    def unknown_words(self) -> list[str]:
        """The searched words that occur in no record."""
        return [word for word, paths in self.paths_by_word.items() if not paths]


def products_with_words(catalogue: Catalogue, words: Iterable[str]) -> WordMatches:
    """Return the products whose records contain all these words.

    A word is ignored if no record contains it, or if too many do. Raises `CannotRead` if
    more than `MAX_CANDIDATES` products remain.
    """
    paths_by_word = _paths_by_word(catalogue, words)
    if not paths_by_word:
        # Every word is in too many records, so any product may be meant.
        if len(catalogue.group.paths) > MAX_CANDIDATES:
            raise _too_vague(count="too many")
        return WordMatches(catalogue.read(catalogue.group.paths), paths_by_word)

    # A known word is one that some record contains.
    candidates = _paths_with_known_words(paths_by_word)
    if len(candidates) > MAX_CANDIDATES:
        raise _too_vague(count=str(len(candidates)))
    in_catalogue_order = [path for path in catalogue.group.paths if path in candidates]
    return WordMatches(catalogue.read(in_catalogue_order), paths_by_word)


def _too_vague(count: str) -> CannotRead:
    """Return the error for a description that fits too many products."""
    return CannotRead(f"{count} products may be meant: name the brand as well")


def _paths_by_word(catalogue: Catalogue, words: Iterable[str]) -> dict[str, set[str]]:
    """Return the paths of the records that contain each word, without words in too many records.

    `["tarp", "sand"]` -> `{"tarp": {"/proc/products/VH-TRP-3.json", ...}, "sand": {...}}`
    """
    paths_by_word: dict[str, set[str]] = {}
    for word in dict.fromkeys(words):
        with suppress(CannotRead):  # The search found too many lines.
            paths_by_word[word] = _paths_with(catalogue, word)
    return paths_by_word


def _paths_with(catalogue: Catalogue, word: str) -> set[str]:
    """Return the paths of the records that contain a word. Raises `CannotRead` for too many."""
    search = WordSearch([word])
    paths = set()
    for path, line in catalogue.lines_with(search.pattern):
        # The pattern also matches parts of words with accents: `rub` in `rubéole`.
        if search.keeps(line):
            paths.add(path)
    return paths


def _paths_with_known_words(paths_by_word: Mapping[str, set[str]]) -> set[str]:
    """Return the paths of the records that contain every known word; none if all are unknown.

    A word is known if at least one record has it.
    """
    path_sets = [paths for paths in paths_by_word.values() if paths]
    if not path_sets:
        return set()
    return set.intersection(*path_sets)


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
