"""Gate 5 accepts the reason for a citation if it has a value of the cited file.

A script cites files with reasons: `{"/docs/Loans.md": "a loan runs 21 days"}`. This file says "A
loan runs 21 days.", and the 21 shows that the script has read it. One value is enough, in any
spelling and beside any other words.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "reason",
    [
        "a loan runs 21 days",
        "see 21 there",
        "pipes valves taps hoses wrenches gaskets elbows washers, then 21",
        "wer Bücher renewed haben will: 21",
    ],
)
def test_a_number_of_a_text_justifies_its_citation(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md", "A loan runs 21 days. Reserved books are not renewed."
    )

    reason_verdict = verdict_on_reason(calls, "/docs/Loans.md", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_the_number_of_a_cited_row_justifies_its_citation() -> None:
    """A row of a table is cited by its number, which is its first column here."""
    calls = CallsOfTrial()
    calls.read_text("/logs/lent.tsv", "row\tbook\n7\tb-104\n8\tb-105\n")

    reason_verdict = verdict_on_reason(calls, "/logs/lent.tsv#row=7", "row 7 was cited")

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_a_value_that_a_program_printed_justifies_its_citation() -> None:
    calls = CallsOfTrial()
    calls.run("/bin/query", "select", stdout="b-104 lent on 2031-05-04")

    reason_verdict = verdict_on_reason(
        calls, "/bin/query", "gave 2031-05-04 for the book"
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""
