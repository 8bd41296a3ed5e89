"""In a run of the shop, every request permits the changes that its right answer makes.

    request                       kind of change     permitted changes
    "Check out my basket"         "tools"            {"tools": True, "files": False}
    "Write the stock to a file"   "files"            {"tools": False, "files": True}
    "How many lamps are there?"   ""                 {"tools": False, "files": False}

A small model, the classifier, may have read the request before, and said what it asks for.
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
        truth = task_of_family.task.truth
        if not truth.changes:  # A question, or a request that must be refused.
            continue
        assert task_of_family.kind_of_change != "", truth.instruction
        changes = permitted_changes(task_of_family, has_classifier=has_classifier)
        if not changes[task_of_family.kind_of_change]:
            prevented_requests.append(truth.instruction)

    assert prevented_requests == []


@with_and_without_classifier
def test_few_questions_are_permitted_any_changes(
    has_classifier: bool, heavy: bool
) -> None:
    """At most one in eight. Most of these are about a basket of the user's own."""
    question_count = 0
    permitted_questions = []
    for task_of_family in tasks_of_a_run(is_complete=heavy):
        is_question = task_of_family.kind_of_change == ""
        if is_question:
            question_count += 1
            changes = permitted_changes(task_of_family, has_classifier=has_classifier)
            if changes["files"] or changes["tools"]:
                permitted_questions.append(task_of_family.task.instruction)

    assert question_count > 0
    assert len(permitted_questions) <= question_count / 8
