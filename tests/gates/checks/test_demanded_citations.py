"""Rule `3/demanded-citation`: an answer cites what its request demands.

A request may say "Cite rows in this format: /logs/lent.tsv#row=<RowID>", or name the log as the
source of the answer. The rule objects to an answer that cites something else.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    valid_scratchpad,
)
from tests.gates.recorded_calls import CallsOfTrial

BOOK = "/shelves/north side/b-104.json"


def calls_of_a_trial() -> CallsOfTrial:
    """Return a trial's calls: it listed two folders, read three files, and ran a query."""
    calls = CallsOfTrial()
    calls.list_folder("/", "/empty.txt", folders=("/docs", "/shelves", "/logs"))
    calls.list_folder("/docs", "/docs/Loans.md")
    calls.read("/docs/Loans.md", BOOK, "/logs/lent.tsv")
    calls.run("/bin/query", "select", stdout="b-104")
    return calls


def objection_to_citations(instruction: str, answer: str, refs: dict[str, str]) -> str:
    """Return what rule `3/demanded-citation` objects to; an empty string if it does not."""
    judgement = judge_scratchpad(
        valid_scratchpad(answer=answer, refs_why=refs),
        calls_of_a_trial(),
        instruction=instruction,
    )
    return objection_of(judgement, "3/demanded-citation")


REQUEST_FOR_ROWS = (
    "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the sum."
)


class TestDemandedRows:
    """A request may demand that rows of a file are cited.

    The request says "Cite rows in this format: /logs/lent.tsv#row=<RowID> and answer with the
    sum." So the answer "EUR 7.00" has to cite rows, such as `/logs/lent.tsv#row=7`.
    """

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
    def test_rows_that_the_request_demands_are_cited(
        self, refs: dict[str, str]
    ) -> None:
        assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs) == ""

    def test_a_file_does_not_stand_for_demanded_rows(self) -> None:
        """The request wants rows. The sum is not 0, so that it comes from at least one row."""
        refs = {"/logs/lent.tsv": "the rows of b-104"}

        objection = objection_to_citations(REQUEST_FOR_ROWS, "EUR 7.00", refs)

        assert "rows are cited as `/logs/lent.tsv#row=<RowID>`" in objection

    def test_a_file_stands_for_demanded_rows_if_the_sum_is_0(self) -> None:
        """A sum of 0 may come from no row, so that there is none to cite."""
        refs = {"/logs/lent.tsv": "the rows of b-104"}

        assert objection_to_citations(REQUEST_FOR_ROWS, "EUR 0.00", refs) == ""


# The trial has read the first of the files. The second one does not exist, and is not demanded.
REQUEST_ABOUT_THE_LOG = (
    "Read the log /logs/lent.tsv and tell how many."
    " Look at the list in /nowhere/x.tsv as well."
)


class TestDemandedSources:
    """A file that the request names as its source has to be cited.

    The request says "Read the log /logs/lent.tsv and tell how many." It also names a file that
    does not exist, which cannot be cited.
    """

    @pytest.mark.parametrize(
        "refs",
        [
            pytest.param({"/logs/lent.tsv": "the rows of b-104"}, id="file"),
            pytest.param({"/logs/lent.tsv#row=7": "row 7 is b-104"}, id="row of it"),
        ],
    )
    def test_a_source_that_the_request_names_is_cited(
        self, refs: dict[str, str]
    ) -> None:
        """A row of the log counts as a citation of the log."""
        assert objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs) == ""

    def test_a_source_that_the_request_names_must_be_cited(self) -> None:
        """The request says to read the log. The answer cites the loan rules instead."""
        refs = {"/docs/Loans.md": "a loan runs 21 days"}

        objection = objection_to_citations(REQUEST_ABOUT_THE_LOG, "2", refs)

        assert "`/logs/lent.tsv` is what the request is about" in objection

    def test_a_request_that_names_no_file_demands_no_citation_of_one(self) -> None:
        refs = {"/docs/Loans.md": "a loan runs 21 days"}

        assert objection_to_citations("How many loans?", "2 of 3", refs) == ""
