"""The call of the function `stock_at` that a question about stock needs.

"Do you have 4 of these lamps at Helpman?" has the answer no, because the function returns only 2:

stock_at(products=["VH-LMP-1"], branch="Helpman", days=0)
# {"VH-LMP-1": {"on_hand": 5, "reserved": 3, "available": 2, "within": 2}}
"""

from collections.abc import Iterator
from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.purchases import nickname
from controlplane.benchmarks.ecom.world.records import Store
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.generated_tasks import record_at


@dataclass(frozen=True)
class StockQuestion:
    """A question whether a branch has enough of a product, now or within some days."""

    branch: Store
    sku: str
    """The code of the product: `VH-LMP-1`."""
    units: int
    days: int
    """0 if only what can be sold today counts."""
    is_enough: bool
    """True if the right answer is the request's word for yes, such as "ja"."""


def stock_answer_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that tells whether a branch has enough of a product.

    No call is yielded if several products fit: the right answer asks which is meant.
    """
    # If several products fit, the task's generator has not noted a branch.
    one_product_fits = "store" in task.truth.for_tests
    if not one_product_fits:
        return
    question = question_of(task)
    # "within" adds what is delivered within the days to what is "available" today.
    field = "within" if question.days else "available"

    def is_right(value: dict[str, dict[str, int]]) -> bool:
        is_enough = value[question.sku][field] >= question.units
        return is_enough is question.is_enough

    product = task.world.catalogue.products[question.sku]
    yield TrueCall(
        function="stock_at",
        arguments={
            "products": [question.sku],
            "branch": nickname(task.world, question.branch),
            "days": question.days,
        },
        is_right=is_right,
        refs=task.world.paths(question.branch, product),
    )


def question_of(task: Task) -> StockQuestion:
    """Return the question of a task. What its generator chose is noted in the truth, as texts:

    `{"store": "/proc/stores/s-4.json", "sku": "VH-LMP-1", "units": "4", "days": "", "yes": "ja"}`
    """
    chosen = task.truth.for_tests
    return StockQuestion(
        branch=record_at(task, task.world.stores.values(), chosen["store"]),
        sku=chosen["sku"],
        units=int(chosen["units"]),
        days=int(chosen["days"] or 0),
        is_enough=task.truth.message == chosen["yes"],
    )
