"""The call for "Of how many of these products does the branch in Utrecht have at least 3 today?"

    stock_at(products=["VH-LMP-1", "VH-LMP-2"], branch="Utrecht", days=2)
    # {"VH-LMP-1": {"on_hand": 5, "reserved": 3, "available": 2, "within": 4}, "VH-LMP-2": {...}}

The condition, "at least 3 today", is one of several kinds.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.stock.stock_conditions import (
    ConditionKind,
    StockCondition,
)
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.branch_stock import nickname
from controlplane.benchmarks.ecom.world.records import Stock, Store
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.generated_tasks import record_at


@dataclass(frozen=True)
class StockQuestion:
    """A question of how many products at a branch meet a condition."""

    branch: Store
    stocks: dict[str, Stock]
    """The stock of each product there, by the product's code."""
    condition: StockCondition
    answer_form: str
    """`<COUNT:%d>`"""

    @property
    def answer(self) -> str:
        """The right answer: `<COUNT:4>` if four products meet the condition."""
        count = sum(self.condition.is_met_by(stock) for stock in self.stocks.values())
        return self.answer_form % count


def stock_count_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that returns the stock of all products that the request names."""
    question = question_of(task)
    days = question.condition.days
    true_rows = {sku: stock_row(stock, days) for sku, stock in question.stocks.items()}
    # So the call is of use: these rows lead to the answer.
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


def question_of(task: Task) -> StockQuestion:
    """Return the question of a task. What its generator chose is noted in the truth, as texts:

    `{"store": "/proc/stores/s-4.json", "skus": "VH-LMP-1 VH-LMP-2", "case": "available",
    "units": "3", "days": "2", "pattern": "<COUNT:%d>"}`
    """
    chosen = task.truth.for_tests
    branch = record_at(task, task.world.stores.values(), chosen["store"])
    no_units = Stock(on_hand=0, reserved=0)
    return StockQuestion(
        branch=branch,
        stocks={
            sku: branch.inventory.get(sku, no_units) for sku in chosen["skus"].split()
        },
        condition=StockCondition(
            ConditionKind(chosen["case"]), int(chosen["units"]), int(chosen["days"])
        ),
        answer_form=chosen["pattern"],
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
