"""Rule `3/demanded-citation`: an answer cites the file that its request names as the source.

The request says "Read the log /logs/lent.tsv and tell how many." So the answer has to cite the log,
or rows of it: `{"/logs/lent.tsv#row=7": "row 7 is b-104"}`.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citations.demanded_citations import objection_to_citations

# The second file does not exist, so that it cannot be cited, and is not demanded.
REQUEST_ABOUT_THE_LOG = (
    "Read the log /logs/lent.tsv and tell how many."
    " Look at the list in /nowhere/x.tsv as well."
)


@pytest.mark.parametrize(
    "refs",
    [
        pytest.param({"/logs/lent.tsv": "the rows of b-104"}, id="file"),
        pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row of it"),
    ],
)
def test_a_source_that_the_request_names_is_cited(refs: dict[str, str]) -> None:
    assert objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs) == ""


def test_a_source_that_the_request_names_must_be_cited() -> None:
    """The answer cites the loan rules instead."""
    refs = {"/docs/Loans.md": "a loan runs 21 days"}

    objection = objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs)

    assert "`/logs/lent.tsv` is what the request is about" in objection


def test_a_request_that_names_no_file_demands_no_citation_of_one() -> None:
    refs = {"/docs/Loans.md": "a loan runs 21 days"}

    assert objection_to_citations("How many loans?", "2 of 3", refs) == ""
