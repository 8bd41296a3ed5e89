"""Functions about products: the catalogue, searched by words, and the product that a description means."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final

from benchmarks.shop.kinds import Kind
from benchmarks.shop.layout import Data, Shape, marked_behind, marked_words, shape_of
from benchmarks.shop.matching import (
    Constraint,
    Description,
    failed_constraints,
    note_claim,
    split_description,
)
from benchmarks.shop.reader import WorkspaceReader, on_harness
from benchmarks.shop.records import Record, RecordGroup, folded_id, id_of, stem_of
from benchmarks.shop.text import ISO_DAY, WordSearch, field_pattern, literal, normal_words
from benchmarks.shop.workspace import ProductFields, ShopLayout, layout_of, product_fields
from sandbox.functions import CannotRead, FunctionResult, Reference

_JOINING = frozenset({"a", "an", "the", "of", "for", "with", "in", "and", "or", "my", "your", "some"})
"""Words of a description that say nothing about a product."""
_UNITS = {
    f"{word}{ending}": unit
    for unit, words in {
        "l": "litre liter",
        "m": "metre meter",
        "g": "gram",
        "kg": "kilogram",
        "w": "watt",
        "v": "volt",
    }.items()
    for word in words.split()
    for ending in ("", "s")
}
"""Units as people write them, which records shorten."""
_TEXT_FIELD = re.compile(r'"([^"\\]+)":[ \t]*"([^"\\]*)"')
_OWNER = re.compile(r"(?<=\w)['’]s\b")


@dataclass(frozen=True)
class Product:
    """A product as its record gives it."""

    path: str
    code: str
    name: str
    brand: str
    price_cents: int | None
    properties: Data
    needs_stock: bool = True

    def failed(self, constraints: Sequence[Constraint]) -> list[str]:
        """Return the texts of the constraints that the product does not fulfil."""
        return failed_constraints(constraints, self.name, self.brand, self.texts)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The values of its properties as texts."""
        held = self.properties.items()
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in held}

    @property
    def told(self) -> dict[str, Any]:
        """What function results tell of it."""
        told = {"sku": self.code, "name": self.name, "path": self.path, "price_cents": self.price_cents}
        return {**told, "properties": dict(self.properties)}

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word in the product's data."""
        said = (self.code, self.name, self.brand, *self.texts.values(), *self.texts)
        return frozenset(word for text in said for word in normal_words(text.replace("_", " ")).split())


class Catalogue:
    """The products of a workspace."""

    def __init__(self, layout: ShopLayout) -> None:
        self._layout = layout

    @cached_property
    def group(self) -> RecordGroup:
        """The group of the product records."""
        return self._layout.group(Kind.PRODUCT)

    @cached_property
    def codes(self) -> dict[str, str]:
        """The path of each product, by its code as in the file's name."""
        return {stem_of(path): path for path in self.group.paths}

    @cached_property
    def _paths(self) -> dict[str, str]:
        return {folded_id(code): path for code, path in self.codes.items()}

    @cached_property
    def fields(self) -> ProductFields:
        """The names of products' fields. Raises `CannotRead` if those of code, name or price are not certain."""
        fields = product_fields(self._layout.samples(Kind.PRODUCT), self.codes, self._layout.marked)
        if not (fields.code and fields.name and fields.price):
            msg = "it is not certain which fields of a product are its code, name and price"
            raise CannotRead(msg)
        return fields

    @cached_property
    def download(self) -> tuple[str, str]:
        """Field and value of products that do not need stock, as the policy on checkouts marks them, or empty texts."""
        text = self._layout.documents.get(self._layout.policies.get("checkout", ""), "")
        for key in self._layout.samples(Kind.PRODUCT)[0]:
            if value := marked_behind(text, key):
                return key, value
        return "", ""

    def product(self, record: Record) -> Product:
        """Return a record as a product."""
        data, fields = record.data, self.fields
        price = data.get(fields.price)
        key, download = self.download
        properties = data.get(fields.properties)
        return Product(
            record.path,
            str(data.get(fields.code, record.id)),
            str(data.get(fields.name, "")),
            str(data.get(fields.brand, "")),
            price if isinstance(price, int) else None,
            properties if isinstance(properties, dict) else {},
            not key or str(data.get(key)) != download,
        )

    def coming_days(self, products: Iterable[Product]) -> tuple[str, ...]:
        """Return a note on each product with a coming day in a property that the rules mark, such as an embargo."""
        marked = frozenset(marked_words(self._layout.rules)) | self._layout.marked
        days = {
            f"{product.code} has `{key}` {value}": str(value)[:10]
            for product in products
            for key, value in product.properties.items()
            if key in marked and shape_of(value) is Shape.INSTANT
        }
        today = ISO_DAY.search(self._layout.clock) if days else None
        return tuple(
            f"{said}, which is still to come: see the rules on it"
            for said, day in days.items()
            if today and day > today[0]
        )

    def read(self, paths: Iterable[str]) -> list[Product]:
        """Return the products at these paths, in their order."""
        return [self.product(record) for record in self._layout.unnamed.read(paths)]

    def called(self, codes: Iterable[str]) -> list[Product]:
        """Return the products with these codes or paths, in their order. Raises `CannotRead` for any other."""
        wanted = [*dict.fromkeys(map(id_of, codes))]
        missing = [code for code in wanted if folded_id(code) not in self._paths]
        if missing:
            msg = f"no product is called {', '.join(missing)}; closest: {self._layout.closest(missing[0])}"
            raise CannotRead(msg)
        return self.read(self._paths[folded_id(code)] for code in wanted)

    def left_out(self, codes: Sequence[str]) -> list[str]:
        """Return the products that are missing beside these, which are the most of a group, such as a family.

        The group is the narrowest of which all these are: the products with one value of a field.
        """
        data = [record.data for record in self._layout.unnamed.read(self.codes[code] for code in codes)]
        texts = set.intersection(*({(key, each) for key, each in one.items() if isinstance(each, str)} for one in data))
        holders: dict[tuple[str, str], set[str]] = {pair: set() for pair in texts}
        pattern = "|".join(f'"{literal(key)}":[ \t]*"{literal(value)}"' for key, value in sorted(texts))
        for path, line in self._layout.reader.search(pattern, self.group.root) if texts and len(data) > 1 else ():
            for pair in _TEXT_FIELD.findall(line):
                holders.get(pair, set()).add(stem_of(path))
        group = min(holders.values(), key=len, default=set())
        return sorted(group.difference(codes)) if len(group) < 2 * len(data) else []

    @cached_property
    def _paths_by_name(self) -> dict[str, set[str]]:
        paths: dict[str, set[str]] = {}
        for path, line in self._layout.reader.search(field_pattern(self.fields.name), self.group.root):
            name = line.partition(":")[2].strip(' ,"')
            paths.setdefault(" ".join(name.casefold().split()), set()).add(path)
        return paths

    def named(self, names: Sequence[str]) -> list[Product]:
        """Return the product of each name, whatever its case. Raises `CannotRead` for a name of none or several."""
        fitting_paths = [self._paths_by_name.get(" ".join(name.casefold().split()), set()) for name in names]
        if any(len(fitting) != 1 for fitting in fitting_paths):
            msg = f"no single product is called {names[[len(fitting) != 1 for fitting in fitting_paths].index(True)]!r}"
            raise CannotRead(msg)
        return self.read(next(iter(fitting)) for fitting in fitting_paths)

    def holding(self, words: Iterable[str]) -> tuple[list[Product], dict[str, set[str]]]:
        """Return the products that may hold all of some words, and by word the paths of the products that hold it.

        Words that too many products hold are left out. Raises `CannotRead` if the other words leave too many products.
        """
        held: dict[str, set[str]] = {}
        for word in dict.fromkeys(words):
            search = WordSearch([word])
            with suppress(CannotRead):
                lines = self._layout.reader.search(search.pattern, self.group.root)
                held[word] = {path for path, line in lines if search.keeps(line)}
        word_paths = [paths for paths in held.values() if paths]
        left = set.intersection(*word_paths) if word_paths else set() if held else set(self.group.paths)
        # Most products to read for one description.
        if len(left) > 120:
            said = "too many" if not word_paths else str(len(left))
            msg = f"{said} products may be meant: name the brand as well"
            raise CannotRead(msg)
        return self.read(path for path in self.group.paths if path in left), held

    def closest(self, held: Mapping[str, set[str]]) -> str:
        """Return the three products that hold the most words of a description, for a message; empty without one."""
        counts = Counter(path for paths in held.values() for path in paths)
        best = sorted(counts, key=lambda path: (-counts[path], path))[:3]
        return (
            f"; closest: {', '.join(f'{product.code} {product.name}' for product in self.read(best))}" if best else ""
        )


catalogue_of: Final = lru_cache(maxsize=2)(Catalogue)
"""Returns the products of a layout; functions and turns with one reader share what they learn."""


@on_harness
def match_products(
    reader: WorkspaceReader,
    description: str,
    must: list[str] | None = None,
    must_not: list[str] | None = None,
    below_cents: int = 0,
) -> FunctionResult[list[dict[str, Any]]]:
    """Return the products whose records hold every word of the description and every constraint, by SKU.

    `description` is in words of the records (brand, model, kind), `must` and `must_not` name properties with their
    values (`persons 2`, `weight 2.4 kg`) or SKUs. `below_cents` is strict. If no product fits, notes name the closest
    ones and what they fail, or the words that no record holds. A description may be in the catalogue's own phrase
    (`the X from Y in the Z line that has ..`); the claim that a support note adds to one is tested, and notes say
    whether it holds. Raises `CannotRead` for an empty description, or if too many products may be meant.
    """
    claimed = note_claim(description, description, must or ())
    parsed = split_description(claimed.described, Description("", "", "", ()))
    if parsed.family:
        description = f"{parsed.brand} {parsed.kind} {parsed.family}"
    said_words = normal_words(_OWNER.sub("", description)).split()
    words = [_UNITS.get(word, word) for word in said_words if word not in _JOINING]
    if not words:
        msg = "the description is empty: name brand, model or kind"
        raise CannotRead(msg)
    catalogue = catalogue_of(layout_of(reader))
    candidates, held = catalogue.holding(words)
    if unknown := [word for word, paths in held.items() if not paths]:
        said = ", ".join(map(repr, unknown))
        closest = catalogue.closest(held)
        return FunctionResult([], (), (f"no product record holds {said}: use words of the records{closest}",))
    described = [product for product in candidates if product.words.issuperset(words)]
    constraints = [*parsed.constraints, *(Constraint(text) for text in claimed.base)]
    constraints += [Constraint(text, is_negated=True) for text in must_not or ()]
    failed = {product.path: _failed(product, constraints, below_cents) for product in described}
    fitting = sorted((product for product in described if not failed[product.path]), key=lambda product: product.code)
    notes = [
        f"{product.code} {product.name} fails {', '.join(failed[product.path])}"
        for product in sorted(described, key=lambda product: len(failed[product.path]))[:4]
    ]
    if not described:
        closest = catalogue.closest(held)
        notes = [f"no single record holds all of {', '.join(map(repr, words))}{closest}"]
    if fitting:
        notes = [
            f"of {product.code} it is {'not ' if product.failed([Constraint(claim)]) else ''}true that it has {claim}"
            for product in fitting
            for claim in (*claimed.extra, *filter(None, [claimed.claim]))
        ]
    notes += catalogue.coming_days(fitting)
    return FunctionResult([product.told for product in fitting], tuple(map(product_reference, fitting)), tuple(notes))


def _failed(product: Product, constraints: list[Constraint], below_cents: int) -> list[str]:
    """Return the constraints that a product fails; an unlabelled constraint equal to its code is about the code."""
    codes = [constraint for constraint in constraints if normal_words(constraint.text) == normal_words(product.code)]
    failed = product.failed([constraint for constraint in constraints if constraint not in codes])
    failed += [constraint.text for constraint in codes if constraint.is_negated]
    if below_cents and (product.price_cents is None or product.price_cents >= below_cents):
        failed.append(f"a price below {below_cents} cents")
    return failed


def product_reference(product: Product) -> Reference:
    """Return the reference to a product."""
    return Reference(product.path, f"the product {product.code}, {product.name}")
