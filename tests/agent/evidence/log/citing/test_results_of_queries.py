"""A number that a query has computed can be a reason for a citation, and not a quotation.

`harness.table("/t.csv")` returns rows of a file, or what a query computes from them. The log gets both as
a `read` of the file, with the `columns` of the result, and with the `lines` of the file that its rows
are. A computed result has no such lines: here 1261, a number of rows.
"""

import pytest

from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.recorded_calls import CallsOfTrial


@pytest.fixture
def calls_with_query() -> CallsOfTrial:
    """Return the calls of a trial whose query counted rows of `/t.csv`. The count, `n`, is 1261."""
    calls = CallsOfTrial()
    query_result = {"content": "n\n1261\n", "columns": ["n"], "lines": []}
    calls.record("read", {"path": "/t.csv"}, query_result)
    return calls


REASON_GATE = 5
"""The gate that rejects a citation if no call has shown what its reason names."""


def test_the_result_of_a_query_justifies_a_citation_of_its_table(
    calls_with_query: CallsOfTrial,
) -> None:
    scratchpad = valid_scratchpad(refs_why={"/t.csv": "1261 rows lack a time"})

    judgement = judge_scratchpad(scratchpad, calls_with_query)

    assert verdict_of(judgement, REASON_GATE).result == "pass"


def test_another_number_than_the_result_does_not_justify_a_citation(
    calls_with_query: CallsOfTrial,
) -> None:
    """The query has counted 1261 rows."""
    scratchpad = valid_scratchpad(refs_why={"/t.csv": "1262 rows lack a time"})

    judgement = judge_scratchpad(scratchpad, calls_with_query)

    assert verdict_of(judgement, REASON_GATE).result == "reject"


def test_the_result_of_a_query_cannot_be_quoted(calls_with_query: CallsOfTrial) -> None:
    """The query has computed 1261. A quotation must be in the file itself."""
    with pytest.raises(ValueError, match="was written or computed by a script"):
        calls_with_query.cite("/t.csv", "how many rows lack a time", "1261")
