"""The call for "Of how many of these products can I buy at least 3 within 2 days in Utrecht?"

    stock_at(products=["VH-LMP-1", "VH-LMP-2"], branch="Utrecht", days=2)
    # {"VH-LMP-1": {"on_hand": 5, "reserved": 3, "available": 2, "within": 4}, "VH-LMP-2": {...}}

The condition, "at least 3 within 2 days", is one of several kinds.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.purchases import nickname
from controlplane.benchmarks.ecom.world.records import Stock
from tests.support.shop.calls.stock_questions import question_of
from tests.support.shop.calls.true_calls import TrueCall


def stock_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that returns the stock of all products that the request names."""
    question = question_of(task)
    days = question.condition.days
    true_rows = {sku: stock_row(stock, days) for sku, stock in question.stocks.items()}
    # The right answer follows from the same stocks, so that the call is of use.
    assert question.answer == task.truth.message

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        """Compare the numbers only: a row may have further fields."""
        if value.keys() != true_rows.keys():
            return False
        return all(
            true_row.items() <= value[sku].items()
            for sku, true_row in true_rows.items()
        )

    yield TrueCall(
        function="stock_at",
        arguments={
            "products": list(question.stocks),
            "branch": nickname(task.world, question.branch),
            "days": days,
        },
        is_right=is_right,
        refs=list(task.truth.must_cite),
    )


def stock_row(stock: Stock, days: int) -> dict[str, int]:
    """Return what `stock_at` should return for a product.

    `{"on_hand": 5, "reserved": 3, "available": 2, "within": 4}`: 2 are available now, and with those
    that arrive within some days 4.
    """
    return {
        "on_hand": stock.on_hand,
        "reserved": stock.reserved,
        "available": stock.available,
        "within": stock.within(days),
    }
