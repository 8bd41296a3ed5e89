"""The tasks of a run of the shop, and the changes that their requests permit to the model.

    for task in tasks_of_a_run(is_complete=False):
        task.kind_of_change                             # "tools", for "Check out my basket"
        permitted_changes(task, has_classifier=True)    # {"files": False, "tools": True}

The wordings of the requests are others than those by which the rules were written.
"""

from dataclasses import dataclass
from functools import cache

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.generated_tasks import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variants import task_in_run
from tests.benchmarks.shop.permitted_changes.changing_families import kind_of_change
from tests.support.function_results import function_result
from tests.support.shop.request_flags import reply_with_flags, right_flags


@dataclass(frozen=True)
class TaskOfFamily:
    """A task, and the family (kind of tasks) that it is of: `basket-checkout`."""

    task: Task
    family: str

    @property
    def kind_of_change(self) -> str:
        """What the request asks to change: "files", "tools" or "" if it is a question."""
        return kind_of_change(self.family)


@cache
def tasks_of_a_run(*, is_complete: bool) -> list[TaskOfFamily]:
    """Return all tasks of a run, or every second one. They take long to generate."""
    tasks = []
    for task_id in task_ids() if is_complete else task_ids()[::2]:
        family, _, _number = task_id.rpartition(".")
        tasks.append(TaskOfFamily(task_in_run(task_id, seed=2), family))
    return tasks


def permitted_changes(
    task_of_family: TaskOfFamily, *, has_classifier: bool
) -> dict[str, bool]:
    """Return what a task's request permits, with a right classifier of requests or without one."""
    task = task_of_family.task
    classifier_reply = "{}"
    if has_classifier:
        roles = task.world.session.roles
        is_staff = "customer" not in roles and "guest" not in roles
        classifier_reply = reply_with_flags(
            right_flags(task_of_family.family, task.truth, asker_is_staff=is_staff)
        )
    result = function_result(
        EcomEnvironment(workspace_of(task.world)),
        "permitted_changes",
        request=task.instruction,
        intent=classifier_reply,
    )
    changes: dict[str, bool] = result["value"]
    return changes
