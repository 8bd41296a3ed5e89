"""Chooses the catalogue of one world from the product lines.

The `vague` phrase of a line deliberately fits several variants; the `asked` phrase of a variant fits it alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from benchmarks.ecom.world.product_lines import Line, Variant, product_lines
from benchmarks.ecom.world.shop_records import Product


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A phrase that fits several products of the catalogue equally well."""

    phrase: str
    skus: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products of one world by SKU, and the ambiguous phrases."""

    products: dict[str, Product]
    ambiguities: tuple[Ambiguity, ...]

    @property
    def shelf(self) -> list[Product]:
        """The products that need stock."""
        return [each for each in self.products.values() if not each.is_digital]

    @property
    def downloads(self) -> list[Product]:
        """The products that need no stock."""
        return [each for each in self.products.values() if each.is_digital]

    def family(self, family_id: str) -> list[Product]:
        """Return the products of one family, sorted by SKU."""
        return sorted((p for p in self.products.values() if p.family_id == family_id), key=lambda p: p.sku)


def sku_of(line: Line, variant: Variant) -> str:
    """Return the SKU of a variant, such as `VH-TNT-SKERRY-2P`."""
    return f"VH-{line.code}-{line.model.upper().replace(' ', '')}-{variant.code}"


def _product(line: Line, variant: Variant, number: int, price_cents: int) -> Product:
    return Product(
        id=number,
        sku=sku_of(line, variant),
        name=f"{line.brand} {line.model} {variant.tail}",
        brand=line.brand,
        category_id=f"cat-{line.category}",
        kind_id=f"kind-{line.kind}",
        family_id=f"fam-{line.brand.split()[0].lower()}-{line.model.lower().replace(' ', '-')}",
        price_cents=price_cents,
        fulfilment="download" if line.is_digital else "shelf",
        properties={**line.shared, **variant.properties},
        asked=variant.asked,
    )


def choose_catalogue(rng: Random) -> Catalogue:
    """Return the catalogue of one world: most of the lines, numbered in order, at the world's own prices."""
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    shelf = [line for line in lines if not line.is_digital]
    kept = {*rng.sample(shelf, len(shelf) - 3), *rng.sample(digital, len(digital) - 1)}
    products: dict[str, Product] = {}
    ambiguities = []
    for line in lines:
        if line not in kept:
            continue
        for variant in line.variants:
            cents = round(variant.cents * rng.uniform(0.92, 1.12) / 10) * 10 - 1
            product = _product(line, variant, len(products) + 1, cents)
            products[product.sku] = product
        skus = tuple(sorted(sku_of(line, each) for each in line.variants if each.code in line.vague_codes))
        ambiguities.append(Ambiguity(line.vague, skus))
    return Catalogue(products, tuple(ambiguities))
