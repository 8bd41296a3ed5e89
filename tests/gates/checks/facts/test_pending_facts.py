"""Gate 2: a pending fact is one that the script has not looked up yet, so it has no value.

A script submits what it knows as facts. `{"days": {"description": "not looked up yet",
"confidence": "pending"}}` says that it does not know yet how many days a loan runs.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.facts.submitted_facts import pending_fact, verdict_on_facts


@pytest.mark.parametrize(
    "days",
    [
        pytest.param(pending_fact(source=None), id="value and source are None"),
        pytest.param(
            {"description": "not looked up yet", "confidence": "pending"},
            id="no value and no source",
        ),
    ],
)
def test_a_pending_fact_needs_no_value_and_no_source(days: object) -> None:
    facts_verdict = verdict_on_facts({"days": days})

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""
