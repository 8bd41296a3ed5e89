"""What a question about stock asks for: the products that its description means.

"The two-person tent, but not VH-TNT-SKERRY-2P": the words fit two products, and the request
excludes one of them by its SKU. Other requests fit exactly one product, or leave open which
of two is meant. The excluded products are kept, because some worlds demand to cite them.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    describe,
    describe_several,
)
from controlplane.benchmarks.ecom.world.records import Product
from controlplane.benchmarks.ecom.world.world import World


@dataclass(frozen=True, slots=True)
class StockSubject:
    """The products that a question about stock asks for."""

    phrase: str
    """The words of the request: `'the two-person tent', but not VH-TNT-SKERRY-2P`."""
    fitting: list[Product]
    """The products that these words mean."""
    ruled_out: list[Product]
    """Products that these words mention only to exclude them."""


def draw_subject(world: World, *, is_ambiguous: bool) -> StockSubject:
    """Return what the request asks for: several products if it `is_ambiguous`, else one.

    In about a third of the requests, the description alone tells what is meant: `the
    two-person tent`. In the others, it fits one product more, which the request excludes
    by its SKU: `the two-person tent, but not VH-TNT-SKERRY-2P`.
    """
    rng = world.rng
    catalogue = world.catalogue
    is_plain_description = rng.random() < 0.35
    if is_plain_description:
        if is_ambiguous:
            described = describe_several(catalogue, rng, is_on_shelf=True)
            return StockSubject(f"'{described.text}'", list(described.products), [])
        product = world.catalogue.some_products(world.rng, 1)[0]
        return StockSubject(f"'{describe(catalogue, rng, product)}'", [product], [])

    # Describe two products if one is meant, else three, and exclude one of them.
    count = 3 if is_ambiguous else 2
    described = describe_several(catalogue, rng, most=count, is_on_shelf=True)
    while len(described.products) < count:  # It may fit two although three are needed.
        described = describe_several(catalogue, rng, most=count, is_on_shelf=True)
    ruled_out, *fitting = rng.sample(described.products, len(described.products))
    phrase = world.wording("excluded", asked=described.text, sku=ruled_out.sku)
    return StockSubject(phrase, fitting, [ruled_out])
