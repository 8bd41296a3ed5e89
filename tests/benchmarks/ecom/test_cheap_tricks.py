"""A right answer that a lazy agent pads by a trick costs the whole score.

It cites every page in case one is demanded, for example. Not every task allows each trick.
"""

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.mistakes.cheap_mistakes import cheap_mistakes
from tests.benchmarks.ecom.solutions.wrong_solutions import answer_with


def test_a_cheap_mistake_costs_the_whole_score() -> None:
    every_fourth_task = task_ids()[3::4]  # All 100 tasks would take too long.
    applied_mistakes = set()
    for seed in ("cheap|0", "cheap|1"):
        for task_id in every_fourth_task:
            task = generate_task(task_id, seed)
            for name, mistake in cheap_mistakes(task).items():
                shop = EcomEnvironment(workspace_of(task.world))
                answer_with(mistake, shop, task.truth)
                assert grade(task.truth, shop).score == 0.0, (name, task.instruction)
                applied_mistakes.add(name)

    assert applied_mistakes == {
        "acts, restores, refuses",
        "cites every page",
        "cites every tool",
        "cites #anything",
    }
