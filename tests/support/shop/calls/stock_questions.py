"""The question of a task such as "Of how many of these products does the branch have at least 3 today?"

Its condition, "at least 3 today", is one of several kinds. What the generator of the task chose is
noted in the task's truth.
"""

from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.stock import ConditionKind, StockCondition
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Stock, Store
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
