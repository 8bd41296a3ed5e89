"""The task to count the products that meet a stock condition at one branch.

"How many of these six products have at least 3 units in Breda? Answer `count=%d`." The
right answer is the number in the requested format, `count=4`. A product that the branch's
file does not list has no units there.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.ecom.tasks.stock.stock_conditions import (
    StockCondition,
    draw_stock,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.records import Stock
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World

QUOTED_FORMAT: Final = '"%d" (without the quotes)'
COUNT_FORMATS: Final = (QUOTED_FORMAT, "<COUNT:%d>", "[QTY:%d]", "count=%d")
"""The formats in which a request asks for a number. The first asks for the number alone."""


def stock_count(world: World, case: str) -> Truth:
    """Ask how many of six named products meet a stock condition at one branch.

    Right: give the number in the requested format, and cite the branch and all six
    products. A product without a row in the branch's stock has no units.

    Cases: `available`, `held`, `soon` (see `StockCondition`). 40 percent of the requests of
    the first case ask for the opposite: how many products have no unit for sale.
    """
    # 1. Draw the question.
    rng = world.rng
    condition = StockCondition(case)
    if case == "available" and rng.random() < 0.4:
        condition = StockCondition.NONE_LEFT
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    products = world.catalogue.some_products(world.rng, 6)
    units = rng.randint(2, 5)
    days = rng.randint(2, 6)

    # 2. Give each product a stock that meets the condition, or narrowly misses it.
    for product in products:
        is_met = rng.random() < 0.45  # So the count is rarely 0 or 6.
        stock = draw_stock(world, condition, units, days, is_met=is_met)
        store.inventory[product.sku] = stock
    has_product_without_row = case == "available" and rng.random() < 0.5
    if has_product_without_row:
        del store.inventory[products[0].sku]

    # 3. Count the products that meet it. One may have lost its row, so ask the stock itself.
    count = 0
    for product in products:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        if condition.is_met_by(stock, units, days):
            count += 1

    # 4. Build the truth. The request shows a format, such as `count=%d`, and the answer is
    #    the format with the count filled in: `count=4`.
    requested_format = rng.choice(COUNT_FORMATS)
    answer_format = requested_format
    if requested_format == QUOTED_FORMAT:
        answer_format = "%d"
    skus = [product.sku for product in products]
    condition_text = world.wording(f"condition-{condition}", units=units, days=days)
    instruction = world.wording(
        "stock-count",
        condition=condition_text,
        branch=nickname(world, store),
        skus=", ".join(skus),
        template=requested_format,
    )
    return truth_with_exact_message(
        instruction,
        answer_format % count,
        must_cite=world.paths(store, *products),
        for_tests={
            "store": world.path(store),
            "skus": " ".join(skus),
            "pattern": answer_format,
            "case": condition.value,
            "units": str(units),
            "days": str(days),
        },
    )
