"""Facts that a script submits, and what gate 2 says of them.

A fact says how it is known: a verified one names the file that states it, a derived one what it was
computed from, and a pending one has no value yet. `fact()` is a verified one:

    {"value": 21, "description": "days of a loan", "source": "/docs/Loans.md", "confidence": "verified"}
"""

from __future__ import annotations

from controlplane.gates.verdicts import Verdict
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial

FACTS_GATE = 2


def verdict_on_facts(facts: object) -> Verdict:
    """Return the gate's verdict on facts of a trial that read `/docs/Loans.md` and ran
    `/bin/query`.

    The trial has also written `/tmp/own.txt`, so that reading this file proves nothing.
    """
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.write("/tmp/own.txt", "21 days")
    calls.read("/tmp/own.txt")
    calls.run("/bin/query", "select 1", stdout="3 rows")
    judgement = judge_scratchpad(valid_scratchpad(facts=facts), calls)
    return verdict_of(judgement, FACTS_GATE)


def assert_accepted(facts: object) -> None:
    """Assert that gate 2 accepts these facts."""
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "pass"
    assert facts_verdict.reason == ""


def fact(
    *,
    value: object = 21,
    source: object = "/docs/Loans.md",
    confidence: object = "verified",
) -> dict[str, object]:
    """Return a fact, by default the verified one that a loan runs 21 days.

    `{"value": 21, "description": "days of a loan", "source": "/docs/Loans.md", ...}`
    """
    return {
        "value": value,
        "description": "days of a loan",
        "source": source,
        "confidence": confidence,
    }


def fact_derived_from(source: object) -> dict[str, object]:
    """Return a fact that was computed from `source`, such as the fact `days`."""
    return fact(source=source, confidence="derived")


def pending_fact(source: object) -> dict[str, object]:
    """Return a fact that the script has not looked up yet in its source, so that it has no
    value."""
    return fact(value=None, source=source, confidence="pending")


def assert_rejected(facts: object, reason: str) -> None:
    """Assert that gate 2 rejects these facts, with a message that has `reason` in it."""
    facts_verdict = verdict_on_facts(facts)

    assert facts_verdict.result == "reject"
    assert reason in facts_verdict.reason
