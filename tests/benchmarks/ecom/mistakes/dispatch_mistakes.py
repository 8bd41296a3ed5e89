"""Bad plans for packages that branches send to each other by lanes.

    dispatch_wave_mistakes(truth)  # {"a package left out": only_says('{"assignments": [...]}'), ...}

The best known plan scores 1, and each of these less.
"""

from controlplane.benchmarks.ecom.tasks.dispatch import DispatchMeasure, Plan
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    Solution,
    only_says,
    plan_message,
)


def dispatch_wave_mistakes(truth: TaskTruth) -> Mistakes:
    """Return bad plans for packages that branches send to each other.

    A plan has the priority and the route of each package: `{"XFER-001": (1, ("lane-a",))}`.
    """
    assert isinstance(truth.measure, DispatchMeasure)
    best_plan = truth.measure.best
    first_package, *_ = best_plan
    first_priority, first_route = best_plan[first_package]

    without_first = dict(best_plan)
    del without_first[first_package]

    # A route of one lane is the same in both directions, so its lane is taken twice instead.
    if len(first_route) > 1:
        wrong_route = first_route[::-1]
    else:
        wrong_route = (*first_route, *first_route)
    with_wrong_route = {**best_plan, first_package: (first_priority, wrong_route)}

    with_unknown_lanes = dict.fromkeys(best_plan, (1, ("lane-x",)))

    def plans(plan: Plan) -> Solution:
        return only_says(plan_message(plan))

    return {
        "a package left out": plans(without_first),
        "a route the wrong way round": plans(with_wrong_route),
        "lanes that do not exist": plans(with_unknown_lanes),
        "nothing planned": plans({}),
        "words around the plan": only_says(f"Plan: {plan_message(best_plan)}"),
        "words instead of a plan": only_says("All packages take the direct lane."),
    }
