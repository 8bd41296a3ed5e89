"""The call for "Of how many of these products does the branch in Utrecht have at least 3 today?"

The condition, "at least 3 today", is one of several kinds. What the generator of the task chose for it
stands in `task.truth.for_tests`, as texts:

    {"case": "available",               # the kind: units that are not reserved, today
     "store": "/proc/stores/s-4.json",  # the record of the branch
     "skus": "VH-LMP-1 VH-LMP-2",       # the codes of the products
     "units": "3",
     "days": "2",                       # for the kinds that count deliveries within some days
     "pattern": "<COUNT:%d>"}           # the form of the answer
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.stock.stock_conditions import (
    ConditionKind,
    StockCondition,
)
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.branch_stock import nickname
from controlplane.benchmarks.ecom.world.records import Stock
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.generated_tasks import record_at

STOCK_FIELDS = ("on_hand", "reserved", "available", "within")
"""The numbers of units that `stock_at` returns for a product. "available" is what is on hand and
not reserved; "within" adds what is delivered within the days that a request names."""


def stock_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that returns a branch's stock of some products.

    The request asks how many of them meet a condition, such as "at least 3 today".
    """
    chosen = task.truth.for_tests
    store = record_at(task, task.world.stores.values(), chosen["store"])
    days = int(chosen["days"])
    stocks = {
        sku: store.inventory.get(sku, Stock(0, 0)) for sku in chosen["skus"].split()
    }
    condition = StockCondition(
        ConditionKind(chosen["case"]), int(chosen["units"]), days
    )
    true_rows = {sku: stock_row(stock, days) for sku, stock in stocks.items()}

    # The rows have to lead to the task's answer: "<COUNT:%d>" % 4 is "<COUNT:4>".
    count = sum(condition.is_met_by(stock) for stock in stocks.values())
    assert chosen["pattern"] % count == task.truth.message

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        rows: dict[str, dict[str, int]] = {}
        for sku, row in value.items():
            rows[sku] = {field: row[field] for field in STOCK_FIELDS}
        return rows == true_rows

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


def stock_row(stock: Stock, days: int) -> dict[str, int]:
    """Return what `stock_at` should return for a product, of which more may come within some days.

    `{"on_hand": 5, "reserved": 3, "available": 2, "within": 4}`
    """
    return {
        "on_hand": stock.on_hand,
        "reserved": stock.reserved,
        "available": stock.available,
        "within": stock.within(days),
    }
