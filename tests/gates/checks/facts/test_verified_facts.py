"""Gate 2: a verified fact names a file that the script read, or a program that it ran.

A script submits what it knows as facts: `{"days": {"value": 21, "description": "days of a loan",
"source": "/docs/Loans.md", "confidence": "verified"}}`. `fact()` is this one. The gate checks how a
fact is known, and not whether it is true.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.facts.submitted_facts import fact, verdict_on_facts


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({}, id="no facts"),
        pytest.param({"days": fact() | {"note": "extra"}}, id="a further key"),
        pytest.param({"days": fact(value=False)}, id="the value is False"),
    ],
)
def test_facts_may_have_any_value_and_further_keys(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("/docs/Loans.md", id="a file that was read"),
        pytest.param(["/docs/Loans.md"], id="a list of one file"),
        pytest.param([None, " ", "/docs/Loans.md"], id="blank entries beside a file"),
        pytest.param("/docs/loans.md", id="another case"),
        pytest.param("/docs/Loans.md#line=1", id="a line of a file"),
        pytest.param("/bin/query", id="a tool that was run"),
    ],
)
def test_a_verified_fact_names_what_was_read_or_run(source: object) -> None:
    """The trial has read `/docs/Loans.md` and run `/bin/query`."""
    facts_verdict = verdict_on_facts({"days": fact(source=source)})

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""
