"""Chooses the catalogue of one world from the product lines, and describes its products in customers' words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from random import Random

from benchmarks.ecom.world.product_lines import Line, Variant, product_lines, twin_lines
from benchmarks.ecom.world.product_phrases import confirmations, contradictions, phrases, targets
from benchmarks.ecom.world.shop_records import Product


@dataclass(frozen=True, slots=True)
class Description:
    """A customer's description, and the products that it fits."""

    text: str
    products: tuple[Product, ...]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The products of one world by SKU, and the SKUs of each line by variant."""

    products: dict[str, Product]
    lines: Mapping[str, Mapping[str, str]]

    def describe(self, rng: Random, product: Product) -> str:
        """Return a description that fits a product alone."""
        line, code = self._line_of(product)
        return rng.choice(phrases(line, frozenset(self.lines[line]), frozenset({code})))

    def vague(self, rng: Random, *, most: int = 3, is_on_shelf: bool = False) -> Description:
        """Return a description that fits several products, at most so many."""
        line, codes = self._some_line(rng, is_on_shelf=is_on_shelf)
        several = [each for each in targets(line, codes) if 1 < len(each) <= most]
        return self._description(rng, line, rng.choice(several))

    def loose(self, rng: Random) -> Description:
        """Return a description that fits one product or several."""
        line, codes = self._some_line(rng)
        return self._description(rng, line, rng.choice(targets(line, codes)))

    def confirmed(self, rng: Random) -> Description:
        """Return a description that fits one product, often with something that it has added at the end."""
        line, code = self._line_of(rng.choice(list(self.products.values())))
        codes, target = frozenset(self.lines[line]), frozenset({code})
        texts = confirmations(line, codes, target) if rng.random() < 0.4 else ()
        return Description(rng.choice(texts or phrases(line, codes, target)), tuple(self._of(line, target)))

    def contradicted(self, rng: Random) -> Description:
        """Return a description of a product, with something added that neither it nor its siblings have."""
        line, code = self._line_of(rng.choice(list(self.products.values())))
        texts = contradictions(line, frozenset(self.lines[line]), frozenset({code}))
        return Description(rng.choice(texts), (self.products[self.lines[line][code]],))

    def _line_of(self, product: Product) -> tuple[str, str]:
        """Return the line and the variant of a product."""
        found = ((line, code) for line, skus in self.lines.items() for code, sku in skus.items() if sku == product.sku)
        return next(found)

    def _some_line(self, rng: Random, *, is_on_shelf: bool = False) -> tuple[str, frozenset[str]]:
        shelf = {product.sku for product in self.shelf}
        lines = [each for each, skus in self.lines.items() if not is_on_shelf or shelf.issuperset(skus.values())]
        line = rng.choice(lines)
        return line, frozenset(self.lines[line])

    def _description(self, rng: Random, line: str, target: frozenset[str]) -> Description:
        text = rng.choice(phrases(line, frozenset(self.lines[line]), target))
        return Description(text, tuple(self._of(line, target)))

    def _of(self, line: str, codes: Iterable[str]) -> list[Product]:
        return [self.products[self.lines[line][code]] for code in sorted(codes)]

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
    return f"VH-{line.code.partition('~')[0]}-{line.model.upper().replace(' ', '')}-{variant.code}"


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
    )


def _lines(rng: Random, count: int) -> list[Line]:
    """Return most of the lines, and as many of their twins as make about so many products."""
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    shelf = [line for line in lines if not line.is_digital]
    kept = {*rng.sample(shelf, len(shelf) - 3), *rng.sample(digital, len(digital) - 1)}
    chosen = [line for line in lines if line in kept]
    number, made = 0, sum(len(line.variants) for line in chosen)
    while made < count - 1:
        number += 1
        twins = list(twin_lines(number))
        rng.shuffle(twins)
        for twin in twins:
            if made < count - 1:
                chosen.append(twin)
                made += len(twin.variants)
    return chosen


def choose_catalogue(rng: Random, count: int = 100) -> Catalogue:
    """Return the catalogue of one world: about `count` products, numbered in order, at the world's own prices."""
    products: dict[str, Product] = {}
    sold: dict[str, dict[str, str]] = {}
    for line in _lines(rng, count):
        for variant in line.variants:
            cents = round(variant.cents * rng.uniform(0.92, 1.12) / 10) * 10 - 1
            product = _product(line, variant, len(products) + 1, cents)
            products[product.sku] = product
            sold.setdefault(line.code, {})[variant.code] = product.sku
    return Catalogue(products, sold)
