"""Which quotations a citation may have: what a file says, as it says it.

A script cites a file with a quotation: `cite("/docs/Loans.md", reason, "opened by the porter")`. It
is looked for in the texts that calls have shown of this file. If it is not there, or if a script
has computed it, the citation is refused.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.log.citing.citations import CitedPlace
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial


class TestSpellings:
    """A quotation may differ from the text in blanks and case, and in nothing else.

    The file `/docs/Loans.md` says "Fee 12 34 a", "Total 5" and "6 b", in three lines.
    """

    def test_a_quotation_may_differ_in_blanks_and_case(self) -> None:
        """Models seldom copy blanks exactly."""
        calls = CallsOfTrial()
        calls.read_text("/docs/Loans.md", "Fee 12 34 a\nTotal 5\n6 b")

        cited_place = calls.cite("/docs/Loans.md", "what the fee is", "12  34A")

        assert cited_place == CitedPlace("/docs/Loans.md", line=1)

    @pytest.mark.parametrize(
        "quotation",
        [
            pytest.param("1234", id="12 and 34, with a blank between"),
            pytest.param("56 b", id="5 and 6, with a line break between"),
        ],
    )
    def test_two_numbers_are_not_quoted_as_one(self, quotation: str) -> None:
        """Blanks and line breaks don't count, except between two digits."""
        calls = CallsOfTrial()
        calls.read_text("/docs/Loans.md", "Fee 12 34 a\nTotal 5\n6 b")

        with pytest.raises(ValueError, match="is not in what was read"):
            calls.cite("/docs/Loans.md", "what the fee is", quotation)


@pytest.fixture
def calls_with_query() -> CallsOfTrial:
    """Return the calls of a trial whose query counted rows of `/t.csv`. The count, `n`, is 1261."""
    calls = CallsOfTrial()
    query_result = {"content": "n\n1261\n", "columns": ["n"], "lines": []}
    calls.record("read", {"path": "/t.csv"}, query_result)
    return calls


REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""


class TestResultsOfQueries:
    """A number that a query has computed can be a reason, and not a quotation.

    `harness.table("/t.csv")` returns rows of a file, or what a query computes from them. The log
    gets both as a `read` of the file, with the `columns` of the result, and with the `lines` of the
    file that its rows are. A computed result has no such lines.
    """

    def test_the_result_of_a_query_justifies_a_citation_of_its_table(
        self, calls_with_query: CallsOfTrial
    ) -> None:
        scratchpad = valid_scratchpad(refs_why={"/t.csv": "1261 rows lack a time"})

        judgement = judge_scratchpad(scratchpad, calls_with_query)

        assert verdict_of(judgement, REASON_GATE).result == "pass"

    def test_another_number_than_the_result_does_not_justify_a_citation(
        self, calls_with_query: CallsOfTrial
    ) -> None:
        """The query has counted 1261 rows."""
        scratchpad = valid_scratchpad(refs_why={"/t.csv": "1262 rows lack a time"})

        judgement = judge_scratchpad(scratchpad, calls_with_query)

        assert verdict_of(judgement, REASON_GATE).result == "reject"

    def test_the_result_of_a_query_cannot_be_quoted(
        self, calls_with_query: CallsOfTrial
    ) -> None:
        """The query has computed 1261. A quotation must be in the file itself."""
        with pytest.raises(ValueError, match="was written or computed by a script"):
            calls_with_query.cite("/t.csv", "how many rows lack a time", "1261")
