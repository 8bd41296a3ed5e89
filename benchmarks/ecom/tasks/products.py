"""Tasks about products: whether one exists, its SKU, its properties, its price.

Customers describe a product in their own words: "the two-person Skerry tent with a
groundsheet". The agent has to find the one that fits, or notice that none or several do.
"""

from __future__ import annotations

import json

from controlplane.benchmarks.ecom.tasks.refusals import which_product
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    describe,
    describe_any,
    describe_several,
    describe_with_false_detail,
    describe_with_true_detail,
)
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.wordings import euros
from controlplane.benchmarks.ecom.world.world import World


def price_count(world: World, _case: str) -> Truth:
    """Ask how many products that fit a description cost less than a limit.

    Right: give the number alone. Often the limit equals a product's price, and this
    product does not count.
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    request = describe_any(world.catalogue, rng)
    prices = sorted(product.price_cents for product in request.products)
    is_limit_a_price = rng.random() < 0.4
    if is_limit_a_price:
        limit = rng.choice(prices)
    else:
        highest = prices[-1] * 115 // 100  # 15 % above the highest price
        limit = rng.randint(prices[0], highest)
    if rng.random() < 0.9:  # In most tasks at least one product costs less.
        limit = max(limit, prices[0] + 1)

    cheaper_products = [
        product for product in request.products if product.price_cents < limit
    ]
    return truth_with_exact_message(
        world.wording("price-count", asked=request.text, limit=euros(limit)),
        str(len(cheaper_products)),
        must_cite=world.paths(*cheaper_products),
        for_tests={
            "paths": "\n".join(world.paths(*request.products)),
            "limit": str(limit),
        },
    )


def product_existence(world: World, case: str) -> Truth:
    """Ask if a described product exists.

    Right: answer with the world's word for yes, and cite the one product that fits. If no
    product has all the details, answer with the word for no, and cite none.

    Wrong: cite similar products.

    Cases: `one product fits`, `no product fits`.
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    exists = case == "one product fits"
    if exists:
        request = describe_with_true_detail(world.catalogue, rng)
    else:
        request = describe_with_false_detail(world.catalogue, rng)
    product = request.products[0]
    family = world.catalogue.family(product.family_id)

    records: tuple[str, ...] = ()
    fitting_sku = ""
    if exists:
        records = world.paths(*request.products)
        fitting_sku = product.sku
    return truth_with_exact_message(
        world.wording("product-existence", asked=request.text),
        world.policy.word(exists),
        must_cite=records,
        for_tests={"paths": "\n".join(world.paths(*family)), "fitting": fitting_sku},
    )


def product_property(world: World, _case: str) -> Truth:
    """Ask for one property of a product, such as its weight.

    Right: give the value as in the product's file. A value that is not a string is
    given as JSON.
    """
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    product = rng.choice(list(world.catalogue.products.values()))
    key, value = rng.choice(sorted(product.properties.items()))
    properties = world.names.field("properties")
    shown_value = value if isinstance(value, str) else json.dumps(value)
    return truth_with_exact_message(
        world.wording("product-property", sku=product.sku, field=properties, key=key),
        shown_value,
        must_cite=world.paths(product),
        for_tests={"path": world.path(product), "key": key},
    )


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
