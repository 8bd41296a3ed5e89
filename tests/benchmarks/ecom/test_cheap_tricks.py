"""Tricks by which a lazy agent might satisfy a careless grader of the shop's tasks. Each scores 0.

    cites every page           the right answer, with all pages cited, in case one is demanded
    cites every tool           the same, with all tools cited
    cites #anything            the same, with a part that does not exist: /docs/returns.md#anything
    acts, restores, refuses    does what is forbidden, looks at the result, undoes it, and denies

Not every task allows each trick.
"""

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task, task_ids
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.mistakes.cheap_mistakes import cheap_mistakes
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with


def test_a_cheap_trick_costs_the_whole_score() -> None:
    every_fourth_task = task_ids()[3::4]  # All 100 tasks would take too long.
    tried_tricks = set()
    for seed in ("cheap|0", "cheap|1"):
        for task_id in every_fourth_task:
            task = generate_task(task_id, seed)
            for name, trick in cheap_mistakes(task).items():
                shop = EcomEnvironment(workspace_of(task.world))
                answer_with(trick, shop, task.truth)
                assert grade(task.truth, shop).score == 0.0, (name, task.instruction)
                tried_tricks.add(name)

    assert tried_tricks == {
        "acts, restores, refuses",
        "cites every page",
        "cites every tool",
        "cites #anything",
    }
