"""Gate 2: a verified fact is rejected if the trial has not read its source.

A script submits what it knows as facts, each with its source: `fact(source="/docs/Loans.md")`.
Without having read the source, the script cannot know that it states the fact.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.facts.submitted_facts import fact, verdict_on_facts


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        pytest.param("", "without a source", id="empty"),
        pytest.param(None, "without a source", id="none"),
        # The message names the file that was probably meant.
        pytest.param("/docs/Loan.md", "`/docs/Loans.md`", id="misspelt file"),
        pytest.param(
            ["/docs/Loans.md", "/docs/Fees.md"],
            "`/docs/Fees.md`",
            id="one of two not read",
        ),
        pytest.param(
            "/tmp/own.txt", "which was not read", id="file of the trial itself"
        ),
    ],
)
def test_a_verified_fact_whose_source_was_not_read_is_rejected(
    source: object, reason: str
) -> None:
    """The trial has read `/docs/Loans.md`, and `/tmp/own.txt`, which it wrote itself."""
    facts_verdict = verdict_on_facts({"days": fact(source=source)})

    assert facts_verdict.result == "reject"
    assert reason in facts_verdict.reason
