"""In a run of the shop, every request permits the changes that its right answer makes.

    "Check out my basket"            its right answer runs a tool      {"files": ..., "tools": True}
    "Add a lamp to my basket"        its right answer writes a file    {"files": True, "tools": ...}
    "How many lamps are there?"      a question needs no change

A small model, the classifier, may have read the request before, and said what it wants.
"""

import pytest

from tests.benchmarks.shop.permitted_changes.tasks_of_a_run import (
    permitted_changes,
    tasks_of_a_run,
)

with_and_without_classifier = pytest.mark.parametrize(
    "has_classifier",
    [
        pytest.param(True, id="right classifier"),
        pytest.param(False, id="no classifier"),
    ],
)


@with_and_without_classifier
def test_every_request_is_permitted_the_changes_of_its_right_answer(
    has_classifier: bool, heavy: bool
) -> None:
    """A model that may not make the change could not answer rightly."""
    prevented_requests = []
    for task_of_family in tasks_of_a_run(is_complete=heavy):
        kind_of_change = task_of_family.kind_of_change
        if not kind_of_change:
            continue
        changes = permitted_changes(task_of_family, has_classifier=has_classifier)
        task = task_of_family.task
        if task.truth.changes and not changes[kind_of_change]:
            prevented_requests.append(task.instruction)

    assert prevented_requests == []


@with_and_without_classifier
def test_few_questions_are_permitted_any_changes(
    has_classifier: bool, heavy: bool
) -> None:
    """At most one in eight. Most of these are about a basket of the user's own."""
    questions = []
    permitted_questions = []
    for task_of_family in tasks_of_a_run(is_complete=heavy):
        if task_of_family.kind_of_change:
            continue
        task = task_of_family.task
        assert not task.truth.changes
        questions.append(task.instruction)
        changes = permitted_changes(task_of_family, has_classifier=has_classifier)
        if changes["files"] or changes["tools"]:
            permitted_questions.append(task.instruction)

    assert len(questions) > 0
    assert len(permitted_questions) <= len(questions) / 8
