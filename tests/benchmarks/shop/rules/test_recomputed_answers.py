"""What records and documents bear out passes, anything else is rejected, and doubt makes no verdict."""

from __future__ import annotations

import pytest

from benchmarks.ecom.world.profiles import WorldSettings
from gates import OUTCOMES
from tests.benchmarks.ecom.variants import variant_ids
from tests.benchmarks.shop.computed.recomputed_trials import RULES, verdict_of
from tests.spoiled.played_trial import PlayedTrial

UNJUDGED = {"archive-fraud", "crosslist", "dispatch-wave", "file-marker"}
"""Families whose answers no rule computes."""
TASKS = [each for each in variant_ids() if each.partition("#")[0] not in UNJUDGED]
UNKNOWN = ["not_applicable", "not_applicable", "not_applicable"]
PASSED = ["not_applicable", "not_applicable", "pass"]
SEEDS = [f"recomputed {number}" for number in range(2)]


@pytest.mark.parametrize("variant_id", TASKS)
@pytest.mark.parametrize("seed", [SEEDS[0], pytest.param(SEEDS[1], marks=pytest.mark.heavy)])
def test_no_rule_rejects_a_right_answer_and_one_at_most_computes_it(variant_id: str, seed: str) -> None:
    right = PlayedTrial.pose(variant_id, seed).right
    found = [verdict_of(rule, right, right.pad) for rule in RULES]
    assert sorted(each.result for each in found) in (PASSED, UNKNOWN), found


@pytest.mark.parametrize("names", [pytest.param("public", marks=pytest.mark.heavy), "random"])
def test_nearly_all_right_answers_are_computed(names: str) -> None:
    computed = []
    for variant_id in TASKS[::3]:
        right = PlayedTrial.pose(variant_id, SEEDS[0], settings=WorldSettings(names=names)).right
        computed.append(any(verdict_of(rule, right, right.pad).result == "pass" for rule in RULES))
    assert sum(computed) >= len(computed) - 1


@pytest.mark.parametrize("variant_id", TASKS)
def test_another_outcome_is_rejected_once_at_most_and_the_right_one_not_named(variant_id: str) -> None:
    right = PlayedTrial.pose(variant_id, SEEDS[0]).right
    for outcome in OUTCOMES[:4]:
        if outcome != right.pad["outcome"]:
            found = [verdict_of(rule, right, {**right.pad, "outcome": outcome}) for rule in RULES]
            reasons = [each.reason for each in found if each.rejects]
            assert len(reasons) <= 1, (outcome, found)
            assert not [each for each in reasons if str(right.pad["outcome"]) in each]
    for rule in RULES:  # an internal error is for the gates to judge
        assert verdict_of(rule, right, {**right.pad, "outcome": OUTCOMES[4]}).result == "not_applicable"


@pytest.mark.parametrize(
    "instruction",
    [
        "Hello there!",
        "How do I check out a basket?",
        "What are your opening hours?",
        "Is the weather good for paddling?",
        "Which branches do you like best?",
        "Tell me something about `roles`.",
        "I read that 5 percent is the most that anybody gets.",
    ],
)
def test_an_unknown_request_is_not_judged(instruction: str) -> None:
    right = PlayedTrial.pose("calendar-date#1", SEEDS[0]).right
    for rule in RULES:
        for outcome in OUTCOMES[:4]:
            pad = {**right.pad, "outcome": outcome}
            assert verdict_of(rule, right, pad, instruction).result == "not_applicable"
