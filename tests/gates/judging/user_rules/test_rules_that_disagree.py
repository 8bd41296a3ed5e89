"""If one rule of a user demands a citation and another one forbids it, the demand wins.

A rule is a function that objects to an answer. Here one demands that `/docs/Loans.md` is cited, and
another one forbids this file and `/logs/lent.tsv`. So an answer may cite `/docs/Loans.md`.
"""

from __future__ import annotations

from controlplane.gates.rules import Rule, RuleSet
from tests.gates.found_verdicts import objection_of, rejecting_keys
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.judging.user_rules.disagreeing_rules import each_order_of_rules
from tests.gates.recorded_calls import CallsOfTrial


@each_order_of_rules
def test_the_demand_wins(rules: tuple[Rule, ...]) -> None:
    scratchpad = valid_scratchpad(refs_why={"/docs/Loans.md": "a loan runs 21 days"})

    judgement = judge_scratchpad(scratchpad, rule_sets=(RuleSet("x", rules),))

    assert rejecting_keys(judgement) == []


@each_order_of_rules
def test_what_no_rule_demands_stays_forbidden(rules: tuple[Rule, ...]) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")
    reasons = {
        "/docs/Loans.md": "a loan runs 21 days",
        "/logs/lent.tsv": "row 7 is b-104",
    }

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=reasons), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert rejecting_keys(judgement) == ["x/forbids"]
    assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."


@each_order_of_rules
def test_both_rules_object_to_the_log_instead_of_the_page(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")
    scratchpad = valid_scratchpad(refs_why={"/logs/lent.tsv": "row 7 is b-104"})

    judgement = judge_scratchpad(scratchpad, calls, rule_sets=(RuleSet("x", rules),))

    assert sorted(rejecting_keys(judgement)) == ["x/demands", "x/forbids"]
    assert objection_of(judgement, "x/demands") == "`/docs/Loans.md` is missing."
    assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."
