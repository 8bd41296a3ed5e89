"""Descriptions that customers give of a catalogue's products: `two-person Skerry tent`.

A description may fit one product, several, or none because one of its details is wrong.
So a request can be clear, ambiguous, or about a product that does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from controlplane.benchmarks.ecom.world.products.added_details import (
    added_details,
    with_each_detail,
)
from controlplane.benchmarks.ecom.world.products.catalogue import Catalogue
from controlplane.benchmarks.ecom.world.products.details import Phrase
from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
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
    return rng.choice(_phrases_for(line_code, variant_code)).text


def describe_several(
    catalogue: Catalogue, rng: Random, *, most: int = 3, is_on_shelf: bool = False
) -> Description:
    """Return a description that fits from two to `most` products of one product line.

    With `is_on_shelf`, the products are physical, so they have a stock.
    """
    line_codes = list(catalogue.lines)
    if is_on_shelf:
        line_codes = catalogue.physical_lines()
    line_code = rng.choice(line_codes)
    possible_variants = []
    for variants in descriptions(line_code):  # such as `{"2P", "2P-FOOT"}`
        if 1 < len(variants) <= most:
            possible_variants.append(variants)
    variants = rng.choice(possible_variants)
    return _description_of(catalogue, rng, line_code, variants)


def describe_any(catalogue: Catalogue, rng: Random) -> Description:
    """Return a description that fits one or more products."""
    line_code = rng.choice(list(catalogue.lines))
    variants = rng.choice(list(descriptions(line_code)))
    return _description_of(catalogue, rng, line_code, variants)


def describe_with_true_detail(catalogue: Catalogue, rng: Random) -> Description:
    """Return a description that fits one product; in 3 of 4 cases it adds a true detail.

    `family size Skerry tent and has 3 seasons`
    """
    product = rng.choice(list(catalogue.products.values()))
    line_code, variant_code = catalogue.place_of(product)
    texts = []
    if rng.random() < 0.75:
        true_details = []
        for detail in added_details(line_code):
            if variant_code in detail.true_for:
                true_details.append(detail)
        texts = with_each_detail(_phrases_for(line_code, variant_code), true_details)
    text = rng.choice(texts) if texts else describe(catalogue, rng, product)
    return Description(text, (product,))


def describe_with_false_detail(catalogue: Catalogue, rng: Random) -> Description:
    """Return a description of a product that adds a detail which the product does not have.

    In most cases another variant of its line has the detail, but does not fit the rest of
    the description: `family size Skerry tent and has groundsheet`.
    """
    product = rng.choice(list(catalogue.products.values()))
    line_code, variant_code = catalogue.place_of(product)
    details_of_others = []
    details_of_none = []
    for detail in added_details(line_code):
        if variant_code in detail.false_for:
            if detail.true_for:
                details_of_others.append(detail)
            else:
                details_of_none.append(detail)

    phrases = _phrases_for(line_code, variant_code)
    texts_of_others = with_each_detail(phrases, details_of_others)
    texts_of_none = with_each_detail(phrases, details_of_none)
    prefers_others = bool(texts_of_others) and rng.random() < 0.8
    if prefers_others or not texts_of_none:
        text = rng.choice(texts_of_others)
    else:
        text = rng.choice(texts_of_none)
    return Description(text, (product,))


def _phrases_for(line_code: str, variant_code: str) -> tuple[Phrase, ...]:
    """Return the descriptions that fit only one variant of a line."""
    only_variant = frozenset([variant_code])
    return descriptions(line_code)[only_variant]


def _description_of(
    catalogue: Catalogue, rng: Random, line_code: str, variants: VariantCodes
) -> Description:
    """Return a random description that fits exactly these variants of a line."""
    text = rng.choice(descriptions(line_code)[variants]).text
    sku_by_variant = catalogue.lines[line_code]
    skus = [sku_by_variant[variant_code] for variant_code in sorted(variants)]
    return Description(text, tuple(catalogue.products_of(skus)))
