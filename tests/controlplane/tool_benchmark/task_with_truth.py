"""A benchmark of one task whose *truth* is known: the right calls, in each turn of the user.

    errand = TaskWithTruth(
        "Bread, please.",
        basket_environment,
        Truth([[("add_bread", {})], [("add_tea", {})]], tells_user="Done."),
        grade=lambda end: end.state.articles == ["bread", "tea"],
    )
    run = controlplane.run(errand)

Without a model, the calls of the truth are made. So a right task has the score 1.
"""

from collections.abc import Callable

from controlplane import TaskEnvironment, ToolBenchmark, Truth


class TaskWithTruth(ToolBenchmark):
    """A task, its right calls, and its grader."""

    citations = "none"

    def __init__(
        self,
        instruction: str,
        environment: Callable[[], TaskEnvironment],
        truth: Truth,
        grade: Callable[[TaskEnvironment], bool],
    ) -> None:
        super().__init__()
        self._instruction = instruction
        self._environment = environment
        self._truth = truth
        self._grade = grade

    def task_ids(self) -> list[str]:
        return ["errand"]

    def generate(self, task_id: str) -> tuple[str, TaskEnvironment]:
        return self._instruction, self._environment()

    def truth(self, task_id: str) -> Truth:
        return self._truth

    def grade(self, task_id: str, environment: TaskEnvironment) -> bool:
        return self._grade(environment)
