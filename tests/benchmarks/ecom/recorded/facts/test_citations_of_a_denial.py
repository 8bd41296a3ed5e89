"""Which further files the denial of a discount may cite follows from what the request names.

An employee of the shop, who has not the role for discounts, asks for one on a basket. The right
answer denies it. Besides what it must cite, it may cite who asks, and the basket.
"""

import pytest

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.benchmarks.ecom.recorded.facts.worlds_of_facts import (
    right_answer,
    score_with_citations,
)
from tests.benchmarks.ecom.variants import generate_variant


@pytest.fixture
def task() -> Task:
    return generate_variant("discount-authority: role is missing", "fact|records")


def test_it_may_cite_the_record_of_the_employee_who_asks(task: Task) -> None:
    user = task.world.session.user
    own_record = task.world.path(task.world.employees[user])

    citations = [*right_answer(task).refs, own_record]

    assert score_with_citations(task, citations) == 1.0


def test_it_may_cite_the_basket_that_is_named(task: Task) -> None:
    named_id = task.truth.for_tests["basket"]
    named_basket = task.world.path(task.world.baskets[named_id])

    citations = [*right_answer(task).refs, named_basket]

    assert score_with_citations(task, citations) == 1.0


def test_it_must_not_cite_another_basket(task: Task) -> None:
    named_id = task.truth.for_tests["basket"]
    other_ids = [id_ for id_ in task.world.baskets if id_ != named_id]
    other_basket = task.world.path(task.world.baskets[other_ids[0]])

    citations = [*right_answer(task).refs, other_basket]

    assert score_with_citations(task, citations) == 0.0
