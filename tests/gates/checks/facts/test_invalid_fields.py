"""Gate 2: a fact with a missing or invalid field is rejected.

A script submits what it knows as facts. `fact()` is a right one: `{"value": 21, "description":
"days of a loan", "source": "/docs/Loans.md", "confidence": "verified"}`. Each case changes one
field, and the message says which one is wrong, so that the model can correct it.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.facts.submitted_facts import fact, verdict_on_facts


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param("facts", "`facts`", id="facts are a text"),
        pytest.param([fact()], "a list of 1", id="facts are a list"),
        pytest.param({"days": 21}, "the number `21`", id="a fact is a number"),
        pytest.param(
            {"days": fact(confidence="sure")}, "`sure`", id="unknown confidence"
        ),
        pytest.param(
            {"days": fact(confidence=None)},
            "verified, derived, pending",
            id="no confidence",
        ),
        pytest.param(
            {"days": fact() | {"description": " "}},
            "no description",
            id="blank description",
        ),
        pytest.param(
            {"days": fact() | {"description": None}},
            "no description",
            id="no description",
        ),
        pytest.param({"days": fact(value=None)}, "without a value", id="no value"),
        pytest.param(
            {"days": fact(source=None, confidence="pending")},
            "pending and yet holds the number `21`",
            id="pending with a value",
        ),
    ],
)
def test_a_fact_with_a_missing_or_invalid_field_is_rejected(
    facts: object, reason: str
) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert reason in facts_verdict.reason
