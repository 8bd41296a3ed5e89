"""Rule `3/demanded-citation`: if a request demands that rows of a file are cited, the answer does so.

The request says "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum." So
the answer "EUR 7.00" has to cite rows, such as `/logs/lent.tsv#row=7`.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citations.demanded_citations import objection_to_citations

REQUEST_FOR_ROWS = (
    "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
)


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row"),
        pytest.param(
            {
                "/docs/Loans.md": "a loan runs 21 days",
                "/logs/lent.tsv#row=7": "row 7 is b-104",
            },
            id="row and another file",
        ),
    ],
)
def test_rows_that_the_request_demands_are_cited(refs: dict[str, str]) -> None:
    assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs) == ""


def test_a_file_does_not_stand_for_demanded_rows() -> None:
    """The sum is not 0, so that it comes from at least one row."""
    refs = {"/logs/lent.tsv": "the rows of b-104"}

    objection = objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs)

    assert "rows are cited as `/logs/lent.tsv#row=<RowID>`" in objection


def test_a_file_stands_for_demanded_rows_if_the_sum_is_0() -> None:
    """A sum of 0 may come from no row, so that there is none to cite."""
    refs = {"/logs/lent.tsv": "the rows of b-104"}

    assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 0.00", refs) == ""
