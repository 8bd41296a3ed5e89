"""Which further files a right answer may cite follows from what its request names."""

import re

import pytest

from tests.benchmarks.ecom.recorded.worlds_of_facts import (
    right_answer,
    score_with_citations,
)
from tests.benchmarks.ecom.variants import generate_variant


def test_denial_of_a_discount_may_cite_the_basket_and_the_own_staff_record() -> None:
    """An employee without the role for discounts asks for one on a basket."""
    task = generate_variant("discount-authority: role is missing", "fact|records")
    world = task.world
    citations = list(right_answer(task).refs)
    own_record = world.path(world.employees[world.session.user])
    named_basket = world.baskets[task.truth.for_tests["basket"]]
    other_baskets = [b for b in world.baskets.values() if b.id != named_basket.id]

    with_own_record = [*citations, own_record]
    with_named_basket = [*citations, world.path(named_basket)]
    with_other_basket = [*citations, world.path(other_baskets[0])]

    assert score_with_citations(task, with_own_record) == 1.0
    assert score_with_citations(task, with_named_basket) == 1.0
    assert score_with_citations(task, with_other_basket) == 0.0


def test_right_answer_on_fraud_cites_the_rows_of_an_export() -> None:
    """A row is cited by the path of the file and its id: `/archive/payments.tsv#row=AR-DcV62h`."""
    task = generate_variant("archive-fraud", "fact|rows")

    citations = right_answer(task).refs

    citation_of_a_row = re.compile(r"/archive/[\w.-]+\.tsv#row=AR-\w+")
    for citation in citations:
        assert citation_of_a_row.fullmatch(citation)


@pytest.mark.parametrize(
    "part_of_file",
    [
        pytest.param("row=AR-none", id="row that the export does not have"),
        pytest.param("anything", id="part that is no row"),
    ],
)
def test_citation_of_what_an_export_does_not_have_costs_the_whole_score(
    part_of_file: str,
) -> None:
    """All fraudulent rows are cited, too."""
    task = generate_variant("archive-fraud", "fact|rows")
    export_path = task.truth.for_tests["path"]
    citations = [*right_answer(task).refs, f"{export_path}#{part_of_file}"]

    assert score_with_citations(task, citations) == 0.0
