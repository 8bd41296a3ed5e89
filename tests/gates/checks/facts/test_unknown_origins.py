"""Gate 2 rejects a fact that a script derived from something unknown.

A script submits what it knows as named facts, and of each the source:

    {"days": {"value": 21, "source": "/docs/Loans.md", "confidence": "verified"},
     "weeks": {"value": 3, "source": "days / 7", "confidence": "derived"}}

Here `fact()` makes the first one, and `fact_derived_from("days / 7")` one like the second. The source of
a derived fact has to be another fact that has a value, a file that was read, the task, or the
identity of who asks. A pending fact has no value yet.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.facts.submitted_facts import (
    fact,
    fact_derived_from,
    pending_fact,
    verdict_on_facts,
)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param(
            {"days": fact_derived_from("/tmp/own.txt")},
            id="from a file of the trial itself",
        ),
        pytest.param({"days": fact_derived_from(None)}, id="from nothing"),
        pytest.param({"days": fact_derived_from("days")}, id="from itself"),
        pytest.param(
            {"a": fact_derived_from("b"), "b": fact_derived_from("a")},
            id="from each other",
        ),
        pytest.param(
            {"days": fact(), "weeks": fact_derived_from("DAYS / 7")},
            id="from `DAYS` instead of `days`",
        ),
        pytest.param(
            {"a": pending_fact(source=None), "b": fact_derived_from("a")},
            id="from a fact without a value and without a source",
        ),
        pytest.param(
            {"a": pending_fact(source="task"), "b": fact_derived_from("a")},
            id="from a fact without a value, which the task is to give",
        ),
    ],
)
def test_a_derived_fact_without_a_known_origin_is_rejected(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert "is no known fact" in facts_verdict.reason


def test_the_rejection_of_a_derived_fact_quotes_its_source() -> None:
    facts_verdict = verdict_on_facts({"days": fact_derived_from("a guess")})

    assert facts_verdict.result == "reject"
    assert "`a guess`" in facts_verdict.reason
