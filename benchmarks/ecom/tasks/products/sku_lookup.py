"""The task to give the SKU of a product that a customer describes.

Customers use their own words: "the two-person Skerry tent with a groundsheet". The agent has
to find the product that fits, or notice that several do, and ask which one is meant.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.refusals.ambiguous_products import which_product
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    describe,
    describe_several,
)
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def sku_lookup(world: World, case: str) -> Truth:
    """Ask for the SKU of a described product.

    Right: give the SKU alone if one product fits. Otherwise ask which one is meant, and
    name all that fit.

    Cases: `one product fits`, `several products fit`.
    """
    rng = world.rng
    catalogue = world.catalogue
    sign_in_anyone(world, or_guest=True)
    if case == "several products fit":
        request = describe_several(catalogue, rng)
        instruction = world.wording("sku-lookup", asked=request.text)
        return which_product(world, instruction, request.products)
    product = rng.choice(list(catalogue.products.values()))
    description = describe(catalogue, rng, product)
    return truth_with_exact_message(
        world.wording("sku-lookup", asked=description),
        product.sku,
        must_cite=world.paths(product),
        for_tests={"skus": product.sku},
    )
