"""The task to count the products that meet a stock condition at one branch.

"How many of these six products have at least 3 units in Breda? Answer `count=%d`." The
right answer is the number in the requested format, `count=4`. A product that the branch's
file does not list has no units there.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.stock.stock_conditions import (
    ConditionKind,
    StockCondition,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.records import Stock
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World

COUNT_FORMATS: Final = {
    '"%d" (without the quotes)': "%d",
    "<COUNT:%d>": "<COUNT:%d>",
    "[QTY:%d]": "[QTY:%d]",
    "count=%d": "count=%d",
}
"""How a request shows the format of its answer, and the format itself: `count=%d` -> `count=4`."""


def stock_count(world: World, case: str) -> Truth:
    """Ask how many of six named products meet a stock condition at one branch.

    Right: give the number in the requested format, and cite the branch and all six
    products. A product without a row in the branch's stock has no units.

    Cases: `available`, `held`, `soon` (see `ConditionKind`). 40 percent of the requests of
    the first case ask for the opposite: how many products have no unit for sale.
    """
    # 1. Draw the question.
    rng = world.rng
    kind = ConditionKind(case)
    if case == "available" and rng.random() < 0.4:
        kind = ConditionKind.NONE_LEFT
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    products = world.catalogue.some_products(world.rng, 6)
    units = rng.randint(2, 5)
    days = rng.randint(2, 6)
    condition = StockCondition(kind, units, days)

    # 2. Give each product a stock that meets the condition, or narrowly misses it.
    for product in products:
        is_met = rng.random() < 0.45  # So the count is rarely 0 or 6.
        store.inventory[product.sku] = condition.draw_stock(rng, is_met=is_met)
    if case == "available" and rng.random() < 0.5:
        # The branch lists no stock of the first product, so it has no unit of it.
        del store.inventory[products[0].sku]

    # 3. Count the products that meet it.
    count = 0
    for product in products:
        # A product without a row has no units.
        stock = store.inventory.get(product.sku, Stock(on_hand=0, reserved=0))
        if condition.is_met_by(stock):
            count += 1

    # 4. Build the truth.
    shown_format, answer_format = rng.choice(list(COUNT_FORMATS.items()))
    skus = [product.sku for product in products]
    condition_text = world.wording(f"condition-{kind}", units=units, days=days)
    instruction = world.wording(
        "stock-count",
        condition=condition_text,
        branch=nickname(world, store),
        skus=", ".join(skus),
        template=shown_format,
    )
    return truth_with_exact_message(
        instruction,
        answer_format % count,
        must_cite=world.paths(store, *products),
        for_tests={
            "store": world.path(store),
            "skus": " ".join(skus),
            "pattern": answer_format,
            "case": kind.value,
            "units": str(units),
            "days": str(days),
        },
    )
