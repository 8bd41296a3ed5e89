"""An answer about fraud cites the rows of an export of payments, and nothing else.

A request asks which payments of the export look like fraud. A row is cited by the path of the
export and the row's id: `/archive/payments.tsv#row=AR-DcV62h`.
"""

import re

import pytest

from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from tests.benchmarks.ecom.recorded.worlds_of_facts import (
    right_answer,
    score_with_citations,
)
from tests.benchmarks.ecom.variants import generate_variant


@pytest.fixture
def task() -> WorldTask:
    return generate_variant("archive-fraud", "fact|rows")


def test_each_row_is_cited_by_the_path_of_the_file_and_its_id(task: WorldTask) -> None:
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
    task: WorldTask, part_of_file: str
) -> None:
    """All fraudulent rows are cited, too."""
    export_path = task.truth.for_tests["path"]

    citations = [*right_answer(task).refs, f"{export_path}#{part_of_file}"]

    assert score_with_citations(task, citations) == 0.0
