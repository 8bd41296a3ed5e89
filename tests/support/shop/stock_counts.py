"""The call for "How many of these products have at least 3 units within 2 days in Utrecht?"

The condition, "at least 3 within 2 days", is one of several kinds. `task.truth.for_tests` has its
kind, the branch, the products, the units and the days, as texts.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.stock.stock_conditions import (
    ConditionKind,
    StockCondition,
)
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.branch_stock import nickname
from controlplane.benchmarks.ecom.world.records import Stock
from tests.support.shop.generated_tasks import record_at
from tests.support.shop.true_calls import TrueCall

STOCK_FIELDS = ("on_hand", "reserved", "available", "within")
"""The numbers of units that `stock_at` returns for a product. "available" is what is on hand and
not reserved; "within" adds what is delivered within the days that a request names."""


def stock_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that returns a branch's stock of some products.

    The request asks how many of them meet a condition, such as "at least 3 within 2 days".
    `stock_at` returns `{"VH-LMP-1": {"on_hand": 5, "reserved": 3, "available": 2, "within": 2}}`.
    """
    inputs = task.truth.for_tests
    store = record_at(task, task.world.stores.values(), inputs["store"])
    units = int(inputs["units"])
    days = int(inputs["days"])
    condition = StockCondition(ConditionKind(inputs["case"]), units, days)
    true_rows: dict[str, dict[str, int]] = {}
    count = 0
    for sku in inputs["skus"].split():
        stock = store.inventory.get(sku, Stock(0, 0))
        true_rows[sku] = {
            "on_hand": stock.on_hand,
            "reserved": stock.reserved,
            "available": stock.available,
            "within": stock.within(days),
        }
        if condition.is_met_by(stock):
            count += 1
    # The rows have to lead to the task's answer: "<COUNT:%d>" % 4 is "<COUNT:4>".
    answer = inputs["pattern"] % count

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        rows: dict[str, dict[str, int]] = {}
        for sku, row in value.items():
            rows[sku] = {field: row[field] for field in STOCK_FIELDS}
        return rows == true_rows and bool(task.truth.message == answer)

    yield TrueCall(
        function="stock_at",
        arguments={
            "products": list(true_rows),
            "branch": nickname(task.world, store),
            "days": days,
        },
        is_right=is_right,
        refs=list(task.truth.must_cite),
    )
