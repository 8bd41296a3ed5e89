"""The calls for tasks whose answers are measured: frauds in an archive, and routes of deliveries.

An answer to such a task is not right or wrong, but more or less good. `task.truth.measure` scores it, as
the grader does; it is None, or of another type, if the request is one that has to be refused.

    TrueCall("fraud_rows", {"path": "/archive/payments.tsv"}, is_right=...)
    # right if the function's rows have nearly all of the stolen sum, and no honest payment
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.archive import FraudMeasure
from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall

LEAST_STOLEN_SHARE = 0.9
"""The share of the stolen sum that `fraud_rows` has to find."""


def archive_fraud_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that finds the fraud in an archive of payments.

    `fraud_rows` returns `{"rows": [{"id": "AR-AsQAMA", "cents": 48858, ...}, ...]}`. That is right
    if it has no honest payment, and nearly all of the stolen sum. A task with fraud has a
    `FraudMeasure`: the ids of the fraudulent payments, and the amount of each payment in cents.
    """
    measure = task.truth.measure
    if not isinstance(measure, FraudMeasure):
        return  # The request is to be refused.
    stolen_cents = sum(measure.amounts[payment_id] for payment_id in measure.fraud)

    def is_right(value: dict[str, list[dict[str, str]]]) -> bool:
        found_ids = {row["id"] for row in value["rows"]}
        if not found_ids <= measure.fraud:
            return False
        found_cents = sum(measure.amounts[payment_id] for payment_id in found_ids)
        return bool(found_cents >= LEAST_STOLEN_SHARE * stolen_cents)

    yield TrueCall(
        function="fraud_rows",
        arguments={"path": task.truth.for_tests["path"]},
        is_right=is_right,
    )


LEAST_PLAN_SCORE = 0.9
"""The score that a plan of routes has to get; the best plan gets 1.0."""


def dispatch_wave_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call that plans the routes of packages that are to be delivered together (a wave).

    The plan is right if it scores nearly as high as the best one. The task's measure scores the
    text of a plan, as the grader does.
    """
    measure = task.truth.measure
    if measure is None:
        return  # The request is to be refused.

    def is_good_plan(value: dict[str, Any]) -> bool:
        measured = measure.measure(value["answer"], refs=[])
        return bool(measured.score >= LEAST_PLAN_SCORE)

    yield TrueCall(
        function="dispatch_plan",
        arguments={"path": task.truth.must_cite[0]},
        is_right=is_good_plan,
        refs=list(task.truth.must_cite),
    )
