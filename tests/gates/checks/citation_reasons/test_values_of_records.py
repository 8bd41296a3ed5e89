"""Gate 5 accepts the reason for a citation if it has a value of the cited record.

A script cites files with reasons: `{"/b-104.json": "has 3 copies left"}`. The record
`{"id": "b-104", "copies": 3, "fee_cents": 1150}` has the 3, so the script has probably read it. One
value is enough, in any spelling: "the fee is EUR 11.50" has the 1150 cents.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    "reason",
    [
        "b-104",
        "id `B-104` of the book",
        "evidence: 104",  # the number of b-104
        "has 3 copies left",
        "still 3 left",
        "3 remain",
        "supporting record 3",
        "evidence: 1150",
        "the fee is EUR 11.50",  # 1150 cents
    ],
)
def test_a_value_of_a_record_justifies_its_citation(reason: str) -> None:
    calls = CallsOfTrial()
    calls.read_text("/b-104.json", '{"id": "b-104", "copies": 3, "fee_cents": 1150}')

    reason_verdict = verdict_on_reason(calls, "/b-104.json", reason)

    assert reason_verdict.result == "pass"
    assert reason_verdict.reason == ""
