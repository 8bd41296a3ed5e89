"""A customer adds one product to their newest active basket, whose file is edited."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_documents, cite_records, sign_in_customer, some_products, some_store
from benchmarks.ecom.world.documents import CHECKOUT
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import ABANDONED, ACTIVE, CHECKED_OUT, Basket, Product

VARIANTS: Final = (Variant("a product that is settled"),)
WORDINGS: Final = Wordings(
    (
        "I have a few active baskets. Put one '{asked}' in the newest one, please.",
        "Add 1 of this to my latest active basket: {asked}.",
        "One of '{asked}' for my newest active basket, please.",
    ),
    (
        "Please put one more thing into my most recent active basket: {asked}.",
        "I would like to have one {asked} in my newest basket. I know that I have several.",
    ),
)


def _newest_basket(world: World, customer: str, product: Product) -> Basket:
    """Add baskets of the customer and return the newest active one; a newer one is inactive."""
    store = some_store(world)

    def enter(age: int, lines: dict[str, int], status: str) -> Basket:
        basket = world.add_basket(customer, store, lines, status=status)
        basket.created_at = world.ago(days=age, minutes=age * 7)
        return basket

    enter(1, {product.sku: 1}, world.rng.choice((ABANDONED, CHECKED_OUT)))
    active = []
    for age in sorted(world.rng.sample(range(3, 60), 3)):
        others = [each.sku for each in some_products(world, 3) if each is not product][:2]
        active.append(enter(age, dict.fromkeys(others, 1), ACTIVE))
    return active[0]


def pose(world: World, variant: int) -> Truth:
    """Request one product for the newest active basket."""
    rng = world.rng
    customer = sign_in_customer(world)
    product = some_products(world, 1)[0]
    basket = _newest_basket(world, customer, product)
    wording = world.say(WORDINGS).format(asked=world.catalogue.describe(rng, product))
    if rng.random() < 0.5:
        basket.lines[product.sku] = rng.randint(1, 3)
    lines = {**basket.lines, product.sku: basket.lines.get(product.sku, 0) + 1}
    after = replace(basket, lines=lines)
    return Truth(
        instruction=wording,
        message=f"Added one {product.name} to basket {basket.id}.",
        records=cite_records(world, [basket, product]),
        documents=cite_documents(world, CHECKOUT),
        changes={world.path(basket): world.text(after)},
        inputs={"basket": world.path(basket), "sku": product.sku},
    )
