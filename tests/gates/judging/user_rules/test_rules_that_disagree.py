"""If one rule of a user demands a citation and another one forbids it, the demand wins.

A rule objects to an answer. The rule `demands` wants the page `/docs/Loans.md` to be cited. The rule
`forbids` wants neither this page nor the log `/logs/lent.tsv`. `rules` has both, in either order.
"""

from __future__ import annotations

from controlplane.gates.rules import Rule, RuleSet
from tests.gates.found_verdicts import objection_of, rejecting_keys
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad
from tests.gates.judging.user_rules.disagreeing_rules import each_order_of_rules
from tests.gates.recorded_calls import CallsOfTrial


@each_order_of_rules
def test_an_answer_may_cite_the_page_that_is_demanded(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    citations = {"/docs/Loans.md": "a loan runs 21 days"}

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert rejecting_keys(judgement) == []


@each_order_of_rules
def test_an_answer_may_not_cite_the_log_which_no_rule_demands(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")
    citations = {
        "/docs/Loans.md": "a loan runs 21 days",
        "/logs/lent.tsv": "row 7 is b-104",
    }

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert rejecting_keys(judgement) == ["x/forbids"]
    assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."


@each_order_of_rules
def test_both_rules_object_to_the_log_in_place_of_the_page(
    rules: tuple[Rule, ...],
) -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md", "/logs/lent.tsv")
    citations = {"/logs/lent.tsv": "row 7 is b-104"}

    judgement = judge_scratchpad(
        valid_scratchpad(refs_why=citations), calls, rule_sets=(RuleSet("x", rules),)
    )

    assert sorted(rejecting_keys(judgement)) == ["x/demands", "x/forbids"]
    assert objection_of(judgement, "x/demands") == "`/docs/Loans.md` is missing."
    assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."
