"""Thousands of facts, citations or changes in a submission are checked with bounded work.

A script is written by a model and may declare anything, such as 50,000 changes: `changes=[{"path":
"/x/0", "action": "write"}, …]`. The message to the model has at most 40,000 characters.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import valid_scratchpad
from tests.gates.judging.large_submissions.bounded_judging import (
    message_after_bounded_judging,
)

pytestmark = pytest.mark.second_tier


def test_a_chain_of_2000_derived_facts() -> None:
    """Fact 0 is derived from fact 1, fact 1 from fact 2, and so on."""
    facts: dict[str, object] = {}
    for number in range(2_000):
        facts[str(number)] = {
            "value": 1,
            "description": "d",
            "source": str(number + 1),
            "confidence": "derived",
        }

    message = message_after_bounded_judging(valid_scratchpad(facts=facts))

    assert len(message) < 40_000


def test_1000_citations() -> None:
    reasons: dict[str, str] = {}
    for number in range(1_000):
        reasons[f"/docs/{number}.md"] = "a loan runs 21 days"

    message = message_after_bounded_judging(valid_scratchpad(refs_why=reasons))

    assert len(message) < 40_000


def test_50000_declared_changes() -> None:
    changes: list[dict[str, str]] = []
    for number in range(50_000):
        changes.append({"path": f"/x/{number}", "action": "write"})

    message = message_after_bounded_judging(valid_scratchpad(changes=changes))

    assert len(message) < 40_000
