"""Gate 2: a derived fact, which a script submits, names what it was computed from.

`{"weeks": {"value": 3, "source": "days / 7", "confidence": "derived", ...}}` is derived from the
fact `days`, in a formula. Others come from a file that was read, the task, or who asks.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.facts.submitted_facts import (
    fact,
    fact_derived_from,
    verdict_on_facts,
)


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param({"who": fact_derived_from("task")}, id="from the task"),
        pytest.param(
            {"who": fact_derived_from("the task text")},
            id="from the task, in other words",
        ),
        pytest.param(
            {"who": fact_derived_from("Identity")}, id="from the identity of who asks"
        ),
        pytest.param(
            {"days": fact_derived_from("/docs/Loans.md")},
            id="from a file that was read",
        ),
        pytest.param(
            {"days": fact(), "weeks": fact_derived_from("days")},
            id="from a verified fact",
        ),
        pytest.param(
            {
                "days": fact(),
                "weeks": fact_derived_from("days / 7"),
                "more": fact_derived_from(["weeks"]),
            },
            id="from a derived fact",
        ),
        pytest.param(
            {"Days": fact(), "weeks": fact_derived_from("(Days)/7")},
            id="from a formula without blanks",
        ),
        pytest.param(
            {
                "loan_days": fact(),
                "in-weeks": fact_derived_from("loan_days / 7"),
                "v.2": fact_derived_from("in-weeks + 1"),
            },
            id="from names with punctuation",
        ),
        pytest.param(
            {"loan days": fact(), "weeks": fact_derived_from("loan days")},
            id="from a name with a blank",
        ),
        pytest.param(
            {"a": fact_derived_from(["task", "b"]), "b": fact_derived_from("a")},
            id="from the task and from each other",
        ),
    ],
)
def test_a_derived_fact_names_what_it_was_computed_from(facts: object) -> None:
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""
