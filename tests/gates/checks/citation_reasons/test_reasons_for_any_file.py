"""Gate 5 rejects a reason for a citation that could be given for any file.

A script cites files with reasons: `{"/docs/Loans.md": "a loan runs 21 days"}`. The reason "relevant
document" does not show that the file was read, so the citation is sent back to the model.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.citation_reasons.reason_verdicts import verdict_on_reason
from tests.gates.recorded_calls import CallsOfTrial


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/docs/Loans.md", "relevant document"),
        ("/docs/Loans.md", "relevant document for this answer"),
        ("/docs/Loans.md", "used as evidence"),
        ("/docs/Loans.md", "cited from memory without having read it"),
        ("/empty.txt", "relevant file"),
        ("/dull.txt", "relevant evidence"),
        ("/tmp/old.txt", "relevant file"),
        ("/shelves/north side/b-104.json", "no such thing here"),
    ],
)
def test_words_that_could_be_said_of_any_file_are_rejected(
    path: str, reason: str
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/empty.txt", "/shelves/north side/b-104.json")
    calls.read_text("/dull.txt", "the data file")
    calls.delete("/tmp/old.txt")

    reason_verdict = verdict_on_reason(calls, path, reason)

    assert reason_verdict.result == "reject"
    assert path in reason_verdict.reason


def test_such_a_word_is_rejected_even_if_the_file_contains_it() -> None:
    """The file says "data", but so could be said of any file."""
    calls = CallsOfTrial()
    calls.read_text("/dull.txt", "the data file")

    reason_verdict = verdict_on_reason(calls, "/dull.txt", "it holds data")

    assert reason_verdict.result == "reject"
    assert "/dull.txt" in reason_verdict.reason
