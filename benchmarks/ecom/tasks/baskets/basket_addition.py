"""The task to add one more product to a basket.

"Please put one more two-person tent into my newest basket." The asker has three active
baskets and a newer one that has ended. Right is one more unit in the newest active basket;
if several products fit the description, the right answer asks which one is meant.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.refusals.ambiguous_products import which_product
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.world.branch_stock import some_store
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import CHECKOUT
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    Description,
    describe,
    describe_several,
)
from controlplane.benchmarks.ecom.world.purchases import add_basket
from controlplane.benchmarks.ecom.world.records import (
    ABANDONED,
    ACTIVE,
    CHECKED_OUT,
    Basket,
    Product,
    Store,
)
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.sign_in import sign_in_customer
from controlplane.benchmarks.ecom.world.world import World


def basket_addition(world: World, case: str) -> Truth:
    """Ask for one unit of a described product in the asker's newest active basket.

    Right: add one unit to the newest active basket, and change nothing else. If several
    products fit the description, change nothing and ask which one is meant.

    Wrong: use a newer basket that is no longer active, or guess the product.

    Cases: `one product fits`, `several products fit`.
    """
    # 1. Draw the product. A changed order of draws would change the tasks of every seed.
    rng = world.rng
    customer = sign_in_customer(world)
    store = some_store(world)
    if case == "one product fits":
        product = world.catalogue.some_products(world.rng, 1)[0]
        request = Description(describe(world.catalogue, rng, product), (product,))
    else:
        request = describe_several(world.catalogue, rng)
        product = request.products[0]

    # 2. Add a basket of yesterday that has ended, and older ones that are active.
    ended_status = rng.choice((ABANDONED, CHECKED_OUT))
    _add_basket_of_age(world, customer, store, {product.sku: 1}, ended_status, days=1)
    newest = _add_active_baskets(world, customer, store, product)
    has_the_product_already = rng.random() < 0.5
    if has_the_product_already:
        newest.lines[product.sku] = rng.randint(1, 3)

    # 3. Build the truth.
    instruction = world.wording("basket-addition", asked=request.text)
    if case == "several products fit":
        question = which_product(world, instruction, request.products)
        return replace(question, may_cite=world.paths(store, newest))

    new_lines = dict(newest.lines)
    new_lines[product.sku] = new_lines.get(product.sku, 0) + 1
    new_text = text_of_record(world, replace(newest, lines=new_lines))
    return Truth(
        instruction=instruction,
        message=f"Added one {product.name} to basket {newest.id}.",
        # The message must name the basket, as "basket-0012" or "the newest basket", and the
        # product, by its SKU or its name.
        required_statements=(
            one_of(newest.id, *WORDS_FOR["newest"]),
            one_of(product.sku, *product.name_variants()),
        ),
        must_cite=world.paths(newest, product),
        must_cite_pages=world.page_paths(CHECKOUT),
        may_cite=world.paths(store),
        changes={world.path(newest): new_text},
        for_tests={"basket": world.path(newest), "sku": product.sku},
    )


def _add_active_baskets(
    world: World, customer: str, store: Store, product: Product
) -> Basket:
    """Add three active baskets without the product, and return the newest one."""
    rng = world.rng
    ages_in_days = sorted(rng.sample(range(3, 60), 3))
    baskets = []
    for days in ages_in_days:
        others = [
            other
            for other in world.catalogue.some_products(world.rng, 3)
            if other is not product
        ]
        lines = {other.sku: 1 for other in others[:2]}
        basket = _add_basket_of_age(world, customer, store, lines, ACTIVE, days=days)
        baskets.append(basket)
    return baskets[0]  # It has the lowest age.


def _add_basket_of_age(
    world: World,
    customer: str,
    store: Store,
    lines: dict[str, int],
    status: str,
    *,
    days: int,
) -> Basket:
    """Add a basket that is this many days old.

    Its time of day is seven minutes earlier for each of these days, so that no two baskets
    have the same.
    """
    basket = add_basket(world, customer, store, lines, status=status)
    basket.created_at = world.ago(days=days, minutes=days * 7)
    return basket
