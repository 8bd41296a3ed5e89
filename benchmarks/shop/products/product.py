"""A product of a shop: its code, name, price and properties, and what it satisfies.

`VH-TRP-3`, "Osier Lea tarp", 19.90 EUR, `{"length_m": 3, "waterproof": true}`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from controlplane.benchmarks.shop.products.product_properties import (
    Constraint,
    failed_constraints,
)
from controlplane.benchmarks.shop.requests.request_dates import ISO_DAY
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.texts.names import normal_words
from controlplane.benchmarks.shop.workspace.field_shapes import Data, Shape, shape_of
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout
from controlplane.sandbox.functions import Reference


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
        """All words in the product's code, name, brand and properties, in normal form.

        A search compares them with the words of a description.
        """
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
        """Return the texts of the constraints that the product does not satisfy.

        A tarp of 2 m, `[Constraint("length 3 m")]` -> `["length 3 m"]`.
        """
        return failed_constraints(
            constraints, self.name, self.brand, self.property_texts
        )


def product_reference(product: Product) -> Reference:
    """Return a reference to a product's record."""
    return Reference(product.path, f"the product {product.code}, {product.name}")


# Notes on products with a date that is still to come, such as the end of an embargo.
#
# `{"sku": "AB-1", "properties": {"sale_from": "2027-06-01"}}` gets a note before June, if the
# shop's documents mention `sale_from`.


def notes_on_coming_days(
    layout: ShopLayout, products: Iterable[Product]
) -> tuple[str, ...]:
    """Return a note for each future date in the products' properties.

    Before the end of an embargo, for example, a product is not sold. A property counts only
    if the rules or a page that they name mention it in backticks (`sale_from`).
    """
    today = ISO_DAY.search(layout.clock)
    if today is None:
        return ()
    marked_in_rules = marked_words(layout.documents.rules)
    marked = layout.documents.marked.union(marked_in_rules)
    notes = []
    for product in products:
        for key, value in product.properties.items():
            is_marked_date = key in marked and shape_of(value) is Shape.INSTANT
            # ISO days compare as texts.
            if is_marked_date and _day_of(value) > today[0]:
                notes.append(
                    f"{product.code} has `{key}` {value}, which is still to come: "
                    "see the rules on it"
                )
    return tuple(dict.fromkeys(notes))


def _day_of(instant: object) -> str:
    """Return the day of a time: `2027-03-01T10:00:00Z` -> `2027-03-01`."""
    return str(instant)[: len("YYYY-MM-DD")]
