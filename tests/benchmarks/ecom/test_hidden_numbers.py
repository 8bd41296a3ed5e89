"""No function knows a number that decides a world: what is reckoned with a fixed number is wrong in the next world."""

from benchmarks.ecom.tasks.dispatch import DispatchMeasure
from tests.support.function_truths import CALLS, found, opened


def test_a_plan_by_the_rates_of_another_world_earns_less() -> None:
    """Reckons with the rates of the page, and with fixed ones as far from them as worlds lie apart."""
    scores = []
    for seed in range(1, 13):
        task, environment = opened("dispatch-wave", seed)
        (call,) = CALLS["dispatch-wave"](task)
        measure = task.truth.measure
        assert isinstance(measure, DispatchMeasure)
        other = {"unlikely": 10, "often": 23, "likely": 10, "short": [1, 1], "medium": [1, 2], "long": [1, 2]}
        plans = [
            found(environment, call.function, **call.arguments, **more)
            for more in ({}, {"late_cents": 50, "delays": other})
        ]
        scores.append([measure.measure(plan[0]["value"]["answer"], ())[0] for plan in plans])
    stated, fixed = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    assert stated > 0.97
    assert fixed < stated - 0.05
