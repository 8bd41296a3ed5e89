"""Gate 2: a derived fact is rejected if what it comes from is not known itself.

A script submits what it knows as facts. `fact_derived_from("b")` was computed from `b`, which has
to be another fact with a value, a file that was read, the task, or the identity of who asks.
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
            id="from a name in another case",
        ),
        pytest.param(
            {"a": pending_fact(None), "b": fact_derived_from("a")},
            id="from a pending fact",
        ),
        pytest.param(
            {"a": pending_fact("task"), "b": fact_derived_from("a")},
            id="from a pending fact about the task",
        ),
    ],
)
def test_a_derived_fact_without_a_known_origin_is_rejected(facts: object) -> None:
    """Two facts that are derived from each other, or one from a pending fact, prove nothing."""
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert "is no known fact" in facts_verdict.reason


def test_the_rejection_of_a_derived_fact_quotes_its_source() -> None:
    facts_verdict = verdict_on_facts({"days": fact_derived_from("a guess")})

    assert facts_verdict.result == "reject"
    assert "`a guess`" in facts_verdict.reason
