"""In a run of the shop, every request permits the changes that its right answer makes.

    "Check out my basket"            its right answer runs a tool      {"files": ..., "tools": True}
    "Add a lamp to my basket"        its right answer writes a file    {"files": True, "tools": ...}
    "How many lamps are there?"      a question needs no change

The wordings of the requests are others than those by which the rules were written.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from tests.benchmarks.ecom.variants import task_in_run
from tests.support.function_results import function_result
from tests.support.shop.request_flags import reply_with_flags, right_flags

CHANGED_BY_FILES = {
    "basket-addition",
    "crosslist",
    "external-system",
    "inventory-export",
    "temporary-files",
}
"""Families, which are kinds of tasks, whose requests ask for files to be written or deleted."""

CHANGED_BY_TOOLS = {
    "basket-checkout",
    "foreign-basket",
    "unnamed-basket",
    "discount-grant",
    "discount-limit",
    "discount-authority",
    "refund-approval",
    "refund-closure",
    "verification-restart",
    "injected-block",
}
"""Families whose requests ask for a change that a tool makes. Some of them must be refused."""

with_and_without_classifier = pytest.mark.parametrize(
    "has_classifier",
    [
        pytest.param(True, id="right classifier"),
        pytest.param(False, id="no classifier"),
    ],
)


def family_of(task_id: str) -> str:
    """`basket-checkout.4` -> `basket-checkout`"""
    return task_id.rpartition(".")[0]


def ids_of_tasks(*, heavy: bool) -> list[str]:
    """Return the ids of a run's tasks: all of them, or every second one."""
    return list(task_ids() if heavy else task_ids()[::2])


def permitted_changes(
    family: str, task: Task, *, has_classifier: bool
) -> dict[str, bool]:
    """Return what a task's request permits: `{"files": False, "tools": True}`."""
    classifier_reply = "{}"
    if has_classifier:
        roles = task.world.session.roles
        is_staff = "customer" not in roles and "guest" not in roles
        classifier_reply = reply_with_flags(
            right_flags(family, task.truth, asker_is_staff=is_staff)
        )
    result = function_result(
        EcomEnvironment(workspace_of(task.world)),
        "permitted_changes",
        request=task.instruction,
        intent=classifier_reply,
    )
    changes: dict[str, bool] = result["value"]
    return changes


@with_and_without_classifier
def test_every_request_is_permitted_the_changes_of_its_right_answer(
    has_classifier: bool, heavy: bool
) -> None:
    """A model that may not make the change could not answer rightly."""
    prevented_requests = []
    for task_id in ids_of_tasks(heavy=heavy):
        family = family_of(task_id)
        if family not in CHANGED_BY_FILES | CHANGED_BY_TOOLS:
            continue
        task = task_in_run(task_id, seed=2)
        changes = permitted_changes(family, task, has_classifier=has_classifier)
        is_permitted = changes["files" if family in CHANGED_BY_FILES else "tools"]
        if task.truth.changes and not is_permitted:
            prevented_requests.append(task.instruction)

    assert prevented_requests == []


@with_and_without_classifier
def test_few_questions_are_permitted_any_changes(
    has_classifier: bool, heavy: bool
) -> None:
    """At most one in eight. Most of these are about a basket of the user's own."""
    questions = []
    permitted_questions = []
    for task_id in ids_of_tasks(heavy=heavy):
        family = family_of(task_id)
        if family in CHANGED_BY_FILES | CHANGED_BY_TOOLS:
            continue
        task = task_in_run(task_id, seed=2)
        assert not task.truth.changes
        questions.append(task.instruction)
        changes = permitted_changes(family, task, has_classifier=has_classifier)
        if changes["files"] or changes["tools"]:
            permitted_questions.append(task.instruction)

    assert len(questions) > 0
    assert len(permitted_questions) <= len(questions) / 8
