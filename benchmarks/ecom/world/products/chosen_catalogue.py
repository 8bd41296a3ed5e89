"""Chooses the products of one world's catalogue, and their prices.

Each world lacks a few product lines and has other prices. A catalogue that needs more
products than there are lines has twins, too: lines that differ from another only by a
similar name, such as `Skerrholm` beside `Skerry`.
"""

from __future__ import annotations

from random import Random

from controlplane.benchmarks.ecom.world.products.catalogue import Catalogue
from controlplane.benchmarks.ecom.world.products.product_lines import (
    Line,
    Variant,
    product_lines,
)
from controlplane.benchmarks.ecom.world.products.twin_lines import (
    original_code,
    twin_lines,
)
from controlplane.benchmarks.ecom.world.records import Product


def choose_catalogue(rng: Random, count: int = 100) -> Catalogue:
    """Return the catalogue of one world: about `count` products with prices of this world."""
    products: dict[str, Product] = {}
    lines: dict[str, dict[str, str]] = {}
    for line in _choose_lines(rng, count):
        for variant in line.variants:
            cents = _ending_with_9(variant.cents * rng.uniform(0.92, 1.12))
            product = _product_of(line, variant, len(products) + 1, cents)
            products[product.sku] = product
            lines.setdefault(line.code, {})[variant.code] = product.sku
    return Catalogue(products, lines)


def _ending_with_9(cents: float) -> int:
    """Return a price rounded to ten cents, less one: 1,234.5 -> 1,229."""
    tens = round(cents / 10)
    return tens * 10 - 1


def _choose_lines(rng: Random, count: int) -> list[Line]:
    """Choose most original lines, and add twins (similar lines) up to about `count` products.

    There may be several twins of a line: first one of each line in random order, then a
    second one of each, and so on.
    """
    lines = product_lines()
    digital = [line for line in lines if line.is_digital]
    on_shelf = [line for line in lines if not line.is_digital]
    # Each world lacks three physical lines and a digital one, so that worlds differ.
    sold = set(rng.sample(on_shelf, len(on_shelf) - 3))
    sold.update(rng.sample(digital, len(digital) - 1))

    chosen = [line for line in lines if line in sold]
    product_count = sum(len(line.variants) for line in chosen)
    # One product less than wanted is enough: another twin would add three or four.
    enough = count - 1
    twin_number = 0
    while product_count < enough:
        twin_number += 1
        twins = list(twin_lines(twin_number))
        rng.shuffle(twins)
        for twin in twins:
            if product_count < enough:
                chosen.append(twin)
                product_count += len(twin.variants)
    return chosen


def _product_of(line: Line, variant: Variant, number: int, price_cents: int) -> Product:
    """Return the product of a variant of a line. `number` is its id.

    `TNT` with the model `Skerry` and the variant `2P` -> the SKU `VH-TNT-SKERRY-2P`
    """
    # A twin has the same line code in its SKU as its original line, but another model.
    line_code = original_code(line.code)
    model_in_sku = line.model.upper().replace(" ", "")
    brand_in_family = line.brand.split()[0].lower()
    model_in_family = line.model.lower().replace(" ", "-")
    return Product(
        id=number,
        sku=f"VH-{line_code}-{model_in_sku}-{variant.code}",
        name=f"{line.brand} {line.model} {variant.tail}",
        brand=line.brand,
        category_id=f"cat-{line.category}",
        kind_id=f"kind-{line.kind}",
        family_id=f"fam-{brand_in_family}-{model_in_family}",
        price_cents=price_cents,
        fulfilment="download" if line.is_digital else "shelf",
        properties={**line.shared, **variant.properties},
    )
