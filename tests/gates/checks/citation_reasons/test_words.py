"""Gate 5 accepts the reason for a citation if it has a word that is typical of the cited file.

A script cites files with reasons. `/docs/Loans.md` says "Books marked reserved cannot be renewed."
So the reason "the rule on reserved books" passes, in any case, with any accents and endings.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "reason",
    ["the rule on reserved books", "RENEWALS of reservations", "Loan policy"],
)
def test_a_word_of_a_text_justifies_its_citation_in_any_form(reason: str) -> None:
    """`reservations` has the stem of `reserved`, and `RENEWALS` that of `renewed`."""
    calls = CallsOfTrial()
    calls.read_text(
        "/docs/Loans.md",
        "A loan runs 21 days. Books marked reserved cannot be renewed.",
    )

    reason_verdict = verdict_on_reason(calls, "/docs/Loans.md", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""


def test_a_word_of_a_record_justifies_its_citation_without_its_accents() -> None:
    calls = CallsOfTrial()
    calls.read_text("/b-104.json", '{"id": "b-104", "title": "Die Küste", "copies": 3}')

    reason_verdict = verdict_on_reason(
        calls, "/b-104.json", "title Die Kuste, as asked for"
    )

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""
