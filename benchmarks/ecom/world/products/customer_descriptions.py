"""Descriptions that customers give of a catalogue's products: `two-person Skerry tent`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.world.products.added_details import (
    confirmations,
    contradictions,
)
from controlplane.benchmarks.ecom.world.products.catalogue import Catalogue
from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
from controlplane.benchmarks.ecom.world.products.line_words import Phrase
from controlplane.benchmarks.ecom.world.products.product_lines import VariantCodes
from controlplane.benchmarks.ecom.world.records import Product


@dataclass(frozen=True, slots=True)
class Description:
    """A customer's description, and the products that it fits."""

    text: str
    products: tuple[Product, ...]


def describe(catalogue: Catalogue, rng: Random, product: Product) -> str:
    """Return a description that fits only this product."""
    line_code, variant_code = catalogue.place_of(product)
    only_variant = frozenset([variant_code])
    return rng.choice(_descriptions(catalogue, line_code)[only_variant]).text


def describe_several(
    catalogue: Catalogue, rng: Random, *, most: int = 3, is_on_shelf: bool = False
) -> Description:
    """Return a description that fits from two to `most` products of one line.

    With `is_on_shelf`, all products of the line are physical.
    """
    line_codes = list(catalogue.lines)
    if is_on_shelf:
        line_codes = catalogue.physical_lines()
    line_code = rng.choice(line_codes)
    targets = []
    for target in _descriptions(catalogue, line_code):
        if 1 < len(target) <= most:
            targets.append(target)
    return _description_of(catalogue, rng, line_code, rng.choice(targets))


def describe_any(catalogue: Catalogue, rng: Random) -> Description:
    """Return a description that fits one or more products."""
    line_code = rng.choice(list(catalogue.lines))
    targets = list(_descriptions(catalogue, line_code))
    return _description_of(catalogue, rng, line_code, rng.choice(targets))


def describe_with_true_detail(catalogue: Catalogue, rng: Random) -> Description:
    """Return a description that fits one product; in 3 of 4 cases it adds a true detail."""
    product = rng.choice(list(catalogue.products.values()))
    line_code, variant_code = catalogue.place_of(product)
    texts = []
    if rng.random() < 0.75:
        sold = frozenset(catalogue.lines[line_code])
        texts = confirmations(line_code, sold, frozenset([variant_code]))
    text = rng.choice(texts) if texts else describe(catalogue, rng, product)
    return Description(text, (product,))


def describe_with_false_detail(catalogue: Catalogue, rng: Random) -> Description:
    """Return a description of a product that adds a detail which the product does not have.

    Usually another variant of its line has the detail, but does not fit the rest of the
    description.
    """
    product = rng.choice(list(catalogue.products.values()))
    line_code, variant_code = catalogue.place_of(product)
    sold = frozenset(catalogue.lines[line_code])
    options = contradictions(line_code, sold, frozenset([variant_code]))
    if options.by_siblings and rng.random() < 0.8:
        texts = options.by_siblings
    elif options.by_none:
        texts = options.by_none
    else:
        texts = options.by_siblings
    return Description(rng.choice(texts), (product,))


def _descriptions(
    catalogue: Catalogue, line_code: str
) -> Mapping[VariantCodes, tuple[Phrase, ...]]:
    """Return all descriptions of a line's variants, by the set of variants they fit."""
    return descriptions(line_code, frozenset(catalogue.lines[line_code]))


def _description_of(
    catalogue: Catalogue, rng: Random, line_code: str, target: VariantCodes
) -> Description:
    """Return a random description that fits exactly the variants `target` of a line."""
    text = rng.choice(_descriptions(catalogue, line_code)[target]).text
    sku_by_variant = catalogue.lines[line_code]
    skus = [sku_by_variant[variant_code] for variant_code in sorted(target)]
    return Description(text, tuple(catalogue.products_of(skus)))
