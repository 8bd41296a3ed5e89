"""The products of a shop, read from their records when they are needed.

The names of products' fields are learned from samples (`product_fields`), so any
catalogue can be read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

import re2

from controlplane.benchmarks.shop.products.product_properties import (
    Constraint,
    failed_constraints,
)
from controlplane.benchmarks.shop.requests.request_dates import ISO_DAY
from controlplane.benchmarks.shop.texts.documents import marked_after, marked_words
from controlplane.benchmarks.shop.texts.text import normal_words, require
from controlplane.benchmarks.shop.workspace.field_names import (
    ProductFields,
    product_fields,
)
from controlplane.benchmarks.shop.workspace.field_shapes import Data, Shape, shape_of
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.record_ids import folded_id, id_of
from controlplane.benchmarks.shop.workspace.records.record import Record
from controlplane.benchmarks.shop.workspace.records.record_groups import RecordGroup
from controlplane.benchmarks.shop.workspace.word_search import WordSearch, field_pattern
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import CannotRead, Reference

MAX_CANDIDATES: Final = 120
"""The most products to read for one description. If more fit, the description is too vague."""
MAX_CLOSEST: Final = 3
"""The number of closest products that a message names."""
_TEXT_FIELD: Final = re.compile(r'"([^"\\]+)":[ \t]*"([^"\\]*)"')
"""A field with a text, in a line of JSON: `"family": "Lea"`."""


@dataclass(frozen=True)
class Product:
    """A product as its record describes it."""

    path: str
    code: str
    name: str
    brand: str
    price_cents: int | None
    """None if the record has no price in whole cents."""
    properties: Data
    needs_stock: bool = True
    """False for a download, which cannot run out."""

    @cached_property
    def property_texts(self) -> dict[str, str]:
        """The properties as texts. Flags are `true` or `false`."""
        texts = {}
        for name, value in self.properties.items():
            texts[name] = str(value).lower() if isinstance(value, bool) else str(value)
        return texts

    @cached_property
    def words(self) -> frozenset[str]:
        """All words in the product's code, name, brand and properties, in normal form."""
        words: set[str] = set()
        names_of_properties = self.property_texts.keys()
        values_of_properties = self.property_texts.values()
        texts = (
            self.code,
            self.name,
            self.brand,
            *names_of_properties,
            *values_of_properties,
        )
        for text in texts:
            words.update(normal_words(text.replace("_", " ")).split())
        return frozenset(words)

    @property
    def as_result(self) -> dict[str, Any]:
        """The data about the product in function results."""
        return {
            "sku": self.code,
            "name": self.name,
            "path": self.path,
            "price_cents": self.price_cents,
            "properties": dict(self.properties),
        }

    def unsatisfied(self, constraints: Sequence[Constraint]) -> list[str]:
        """Return the texts of the constraints that the product does not satisfy."""
        return failed_constraints(
            constraints, self.name, self.brand, self.property_texts
        )


def product_reference(product: Product) -> Reference:
    """Return a reference to a product's record."""
    return Reference(product.path, f"the product {product.code}, {product.name}")


@dataclass(frozen=True, slots=True)
class StocklessMark:
    """The field and value that mark products without stock, such as downloads."""

    key: str
    value: str


class Catalogue:
    """The products of a workspace, read when they are needed.

    The names of the fields are learned from samples of the records, and from
    `layout.documents.marked`: the words that documents put in backticks, such as `price_cents`.
    The functions of one shop share a catalogue (`catalogue_of`).
    """

    def __init__(self, layout: ShopLayout) -> None:
        self._layout = layout

    # What records look like

    @cached_property
    def group(self) -> RecordGroup:
        """The group of the product records."""
        return self._layout.kinds.group(Kind.PRODUCT)

    @cached_property
    def codes(self) -> dict[str, str]:
        """The path of each product by its code. The code is the name of the file."""
        return {record_id(path): path for path in self.group.paths}

    @cached_property
    def fields(self) -> ProductFields:
        """The names of products' fields.

        Raises `CannotRead` if code, name or price is not certain.
        """
        samples = self._layout.kinds.samples(Kind.PRODUCT)
        fields = product_fields(samples, self.codes, self._layout.documents.marked)
        are_known = bool(fields.code and fields.name and fields.price)
        require(
            are_known,
            "it is not certain which fields of a product are its code, name and price",
        )
        return fields

    @cached_property
    def stockless_mark(self) -> StocklessMark | None:
        """The mark of products that need no stock; None if no policy describes one.

        The policy on checkouts describes it:
        "products whose `fulfillment` is `download`".
        """
        policy = self._layout.policies.text_of("checkout")
        for key in self._layout.kinds.samples(Kind.PRODUCT)[0]:
            value = marked_after(policy, key)
            if value:
                return StocklessMark(key, value)
        return None

    # Reading products

    def product(self, record: Record) -> Product:
        """Return the product that a record describes."""
        data = record.data
        fields = self.fields
        price = data.get(fields.price)
        properties = data.get(fields.properties)
        mark = self.stockless_mark
        return Product(
            path=record.path,
            code=str(data.get(fields.code, record.id)),
            name=str(data.get(fields.name, "")),
            brand=str(data.get(fields.brand, "")),
            price_cents=price if isinstance(price, int) else None,
            properties=properties if isinstance(properties, dict) else {},
            needs_stock=mark is None or str(data.get(mark.key)) != mark.value,
        )

    def read(self, paths: Iterable[str]) -> list[Product]:
        """Return the products at these paths, in the same order."""
        # `unkeyed_records`, because the names of links and owners are not needed for products.
        return [
            self.product(record) for record in self._layout.unkeyed_records.read(paths)
        ]

    def with_codes(self, codes: Iterable[str]) -> list[Product]:
        """Return the products with these codes or paths, each once, in the same order.

        Case and separators do not matter: `vh_trp 3` is `VH-TRP-3`. Raises
        `CannotRead`, with the closest codes, if a product does not exist.
        """
        wanted = list(dict.fromkeys(id_of(code) for code in codes))
        missing = [
            code for code in wanted if folded_id(code) not in self._paths_by_folded_code
        ]
        if missing:
            closest = self._layout.files.closest(missing[0])
            msg = f"no product is called {', '.join(missing)}; closest: {closest}"
            raise CannotRead(msg)
        return self.read(self._paths_by_folded_code[folded_id(code)] for code in wanted)

    @cached_property
    def _paths_by_folded_code(self) -> dict[str, str]:
        return {folded_id(code): path for code, path in self.codes.items()}

    def named(self, names: Sequence[str]) -> list[Product]:
        """Return the product with each name. Case does not matter.

        Raises `CannotRead` if a name belongs to no product, or to several.
        """
        paths: list[str] = []
        for name in names:
            paths_of_name = self._paths_by_folded_name.get(_folded_name(name), set())
            require(len(paths_of_name) == 1, f"no single product is called {name!r}")
            paths += paths_of_name
        return self.read(paths)

    @cached_property
    def _paths_by_folded_name(self) -> dict[str, set[str]]:
        paths: dict[str, set[str]] = {}
        pattern = field_pattern(self.fields.name)
        for path, line in self._layout.reader.search(pattern, self.group.root):
            _, _, json_text = line.partition(":")  # `  "name": "Lea tarp",`
            name = json_text.strip(' ,"')
            paths.setdefault(_folded_name(name), set()).add(path)
        return paths

    # Searching products

    def with_words(self, words: Iterable[str]) -> WordMatches:
        """Return the products whose records contain all these words.

        A word is ignored if no record contains it, or if so many do that the search is
        cut off. Raises `CannotRead` if more than `MAX_CANDIDATES` products remain.
        """
        paths_by_word: dict[str, set[str]] = {}
        for word in dict.fromkeys(words):
            paths = self._paths_with(word)
            if paths is not None:
                paths_by_word[word] = paths

        if not paths_by_word:  # Every word is in too many records.
            candidates = set(self.group.paths)
            count = "too many"
        else:
            paths_of_known_words = [paths for paths in paths_by_word.values() if paths]
            candidates = (
                set.intersection(*paths_of_known_words)
                if paths_of_known_words
                else set()
            )
            count = str(len(candidates))
        refusal = f"{count} products may be meant: name the brand as well"
        require(len(candidates) <= MAX_CANDIDATES, refusal)
        products = self.read(path for path in self.group.paths if path in candidates)
        return WordMatches(products, paths_by_word)

    def _paths_with(self, word: str) -> set[str] | None:
        """Return the paths of the records that contain a word.

        The result is None if the search finds too many.
        """
        search = WordSearch([word])
        try:
            lines = self._layout.reader.search(search.pattern, self.group.root)
        except CannotRead:
            return None
        return {path for path, line in lines if search.keeps(line)}

    def closest(self, matches: WordMatches) -> str:
        """Return the products with the most of the searched words, for the end of a message.

        `; closest: AB-1 Lea tarp, AB-2 Lea tent`;
        empty if no product has any of the words.
        """
        word_counts: Counter[str] = Counter()
        for paths in matches.paths_by_word.values():
            word_counts.update(paths)
        best_paths = sorted(word_counts, key=lambda path: (-word_counts[path], path))
        products = self.read(best_paths[:MAX_CLOSEST])
        if not products:
            return ""
        names = ", ".join(f"{product.code} {product.name}" for product in products)
        return f"; closest: {names}"

    # Checks of answers

    def notes_on_coming_days(self, products: Iterable[Product]) -> tuple[str, ...]:
        """Return a note for each future date in the products' properties.

        Such a date may be the end of an embargo, before which a product is not sold. Only
        properties whose names the rules or another document put in backticks count.
        """
        today = ISO_DAY.search(self._layout.clock)
        if today is None:
            return ()
        named_in_documents = self._layout.documents.marked.union(
            marked_words(self._layout.documents.rules)
        )
        notes = []
        for product in products:
            for key, value in product.properties.items():
                if (
                    key not in named_in_documents
                    or shape_of(value) is not Shape.INSTANT
                ):
                    continue
                day = str(value)[: len("YYYY-MM-DD")]
                if day > today[0]:
                    notes.append(
                        f"{product.code} has `{key}` {value}, which is still to come: "
                        "see the rules on it"
                    )
        return tuple(dict.fromkeys(notes))

    def missing_siblings(self, codes: Sequence[str]) -> list[str]:
        """Return the codes that a list of products probably lacks.

        A list of products is probably meant to be a whole group, such as all products
        of a family. A group is all products with the same text in some field
        (`"family": "Lea"`). If the list has more than half of the smallest group that
        contains it, the rest of the group is returned.
        """
        paths = [self.codes[code] for code in codes]
        records = [record.data for record in self._layout.unkeyed_records.read(paths)]
        if len(records) < 2:
            return []
        shared_texts = _shared_texts(records)
        if not shared_texts:
            return []
        codes_by_text = self._codes_by_text(shared_texts)
        smallest_group = min(codes_by_text.values(), key=len)
        has_more_than_half = 2 * len(records) > len(smallest_group)
        if not has_more_than_half:
            return []
        return sorted(smallest_group.difference(codes))

    def _codes_by_text(
        self, texts: set[tuple[str, str]]
    ) -> dict[tuple[str, str], set[str]]:
        """Return the codes of the products that have each pair of a field and its text.

        `{("family", "Lea")}` -> `{("family", "Lea"): {"AB-1", "AB-2"}}`
        """
        # One search finds the lines of all pairs.
        patterns = []
        for field, text in sorted(texts):
            patterns.append(f'"{re2.escape(field)}":[ \t]*"{re2.escape(text)}"')
        found_lines = self._layout.reader.search("|".join(patterns), self.group.root)

        # The fields in each line tell which pair was found.
        codes: dict[tuple[str, str], set[str]] = {pair: set() for pair in texts}
        for path, line in found_lines:
            for pair in _TEXT_FIELD.findall(line):
                if pair in codes:
                    codes[pair].add(record_id(path))
        return codes


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


def _folded_name(name: str) -> str:
    return " ".join(name.casefold().split())


def _shared_texts(records: Sequence[Data]) -> set[tuple[str, str]]:
    """Return the pairs of a field and its text that all records have in common."""
    texts_of_records = []
    for data in records:
        texts = {(key, value) for key, value in data.items() if isinstance(value, str)}
        texts_of_records.append(texts)
    return set.intersection(*texts_of_records)


@lru_cache(maxsize=2)
def catalogue_of(layout: ShopLayout) -> Catalogue:
    """Return the catalogue of a shop. It is shared, so that no product is read twice."""
    return Catalogue(layout)
