"""Which further files a right answer may cite follows from what its request names."""

import re

import pytest

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.benchmarks.ecom.recorded.worlds_of_facts import (
    right_answer,
    score_with_citations,
)
from tests.benchmarks.ecom.variants import generate_variant


class TestDenialOfADiscount:
    """An employee without the role for discounts asks for one on a basket.

    The right answer denies it. Besides what it must cite, it may cite who asks, and the basket.
    """

    @pytest.fixture
    def task(self) -> Task:
        return generate_variant("discount-authority: role is missing", "fact|records")

    def test_it_may_cite_the_record_of_the_employee_who_asks(self, task: Task) -> None:
        user = task.world.session.user
        own_record = task.world.path(task.world.employees[user])

        citations = [*right_answer(task).refs, own_record]

        assert score_with_citations(task, citations) == 1.0

    def test_it_may_cite_the_basket_that_is_named(self, task: Task) -> None:
        named_id = task.truth.for_tests["basket"]
        named_basket = task.world.path(task.world.baskets[named_id])

        citations = [*right_answer(task).refs, named_basket]

        assert score_with_citations(task, citations) == 1.0

    def test_it_must_not_cite_another_basket(self, task: Task) -> None:
        named_id = task.truth.for_tests["basket"]
        other_ids = [id_ for id_ in task.world.baskets if id_ != named_id]
        other_basket = task.world.path(task.world.baskets[other_ids[0]])

        citations = [*right_answer(task).refs, other_basket]

        assert score_with_citations(task, citations) == 0.0


class TestFraud:
    """Payments in an export look like fraud. The right answer cites their rows, and nothing else."""

    @pytest.fixture
    def task(self) -> Task:
        return generate_variant("archive-fraud", "fact|rows")

    def test_each_row_is_cited_by_the_path_of_the_file_and_its_id(
        self, task: Task
    ) -> None:
        """`/archive/payments.tsv#row=AR-DcV62h`"""
        citation_of_a_row = re.compile(r"/archive/[\w.-]+\.tsv#row=AR-\w+")

        citations = right_answer(task).refs

        assert len(citations) > 0
        for citation in citations:
            assert citation_of_a_row.fullmatch(citation)

    @pytest.mark.parametrize(
        "part_of_file",
        [
            pytest.param("row=AR-none", id="row that the export does not have"),
            pytest.param("anything", id="part that is no row"),
        ],
    )
    def test_a_citation_of_what_the_export_does_not_have_costs_the_whole_score(
        self, task: Task, part_of_file: str
    ) -> None:
        """All fraudulent rows are cited, too."""
        export_path = task.truth.for_tests["path"]

        citations = [*right_answer(task).refs, f"{export_path}#{part_of_file}"]

        assert score_with_citations(task, citations) == 0.0
