"""The task to count the products that fit a description and cost less than a limit.

"How many of your two-person tents cost less than EUR 120.00?" The limit is often exactly the
price of one of them. This product does not cost less, so it does not count.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    describe_any,
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
