"""The catalogue of one world: its products, and the product lines that they belong to.

The product line `TNT`, a tent, has the variants `2P`, `2P-FOOT` and `4P`; each is a product
with a price, found by its SKU: `VH-TNT-SKERRY-2P`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.records import Product


class Place(NamedTuple):
    """The place of a product in the catalogue: its product line and its variant."""

    line_code: str
    variant_code: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products of one world."""

    products: dict[str, Product]
    """The products by SKU."""
    lines: Mapping[str, Mapping[str, str]]
    """The SKUs of each product line's variants: `{"TNT": {"2P": "VH-TNT-SKERRY-2P"}}`."""

    @property
    def shelf(self) -> list[Product]:
        """The physical products, which need stock."""
        return [product for product in self.products.values() if not product.is_digital]

    def family(self, family_id: str) -> list[Product]:
        """Return the products of one family, sorted by SKU."""
        members = []
        for product in self.products.values():
            if product.family_id == family_id:
                members.append(product)
        return sorted(members, key=lambda product: product.sku)

    def some_products(self, rng: Random, count: int) -> list[Product]:
        """Return different random products that need stock."""
        return rng.sample(self.shelf, count)

    def products_of(self, skus: Iterable[str]) -> list[Product]:
        """Return the products with these SKUs, such as the lines of a basket."""
        return [self.products[sku] for sku in skus]

    def price_of(self, quantities: Mapping[str, int]) -> int:
        """Return the price of products in cents, from their quantities by SKU."""
        total = 0
        for sku, quantity in quantities.items():
            total += self.products[sku].price_cents * quantity
        return total

    def place_of(self, product: Product) -> Place:
        """Return the product line and the variant of a product.

        Raises `KeyError` if the product is not in the catalogue.
        """
        for line_code, skus in self.lines.items():
            for variant_code, sku in skus.items():
                if sku == product.sku:
                    return Place(line_code, variant_code)
        raise KeyError(product.sku)

    def physical_lines(self) -> list[str]:
        """Return the codes of the product lines whose products all need stock."""
        shelf_skus = {product.sku for product in self.shelf}
        line_codes = []
        for line_code, skus in self.lines.items():
            if shelf_skus.issuperset(skus.values()):
                line_codes.append(line_code)
        return line_codes
