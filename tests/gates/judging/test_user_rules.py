"""Rules that a user adds to the gates: how they disagree, fail and are loaded.

    def count(submission, evidence, case):
        return "count again"

    judge(..., rule_sets=(RuleSet("library", (Rule("count", count),)),))

A rule set has the rules for one kind of benchmark, here for a library.
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Objection
from controlplane.gates.rule_set_loading import RuleSetError, load_rule_set
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    objection_of,
    rejecting_keys,
    valid_scratchpad,
    verdict_of,
)
from tests.gates.recorded_calls import CallsOfTrial


def demand_rules(submission: Submission, evidence: Evidence, case: Case) -> Objection:
    return Objection(demands=("/docs/Loans.md",), missing_message="{paths} is missing.")


def forbid_rules_and_log(
    submission: Submission, evidence: Evidence, case: Case
) -> Objection:
    return Objection(
        forbids=("/docs/Loans.md", "/logs/lent.tsv"),
        surplus_message="{paths} is surplus.",
    )


DEMANDS = Rule("demands", demand_rules)
FORBIDS = Rule("forbids", forbid_rules_and_log)


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param((DEMANDS, FORBIDS), id="the demand first"),
        pytest.param((FORBIDS, DEMANDS), id="the prohibition first"),
    ],
)
class TestRulesThatDisagree:
    """One rule demands the loan rules, and another one forbids them and the log.

    A citation that is demanded is never surplus, whichever rule is judged first.
    """

    def test_the_demand_wins(self, rules: tuple[Rule, ...]) -> None:
        scratchpad = valid_scratchpad(
            refs_why={"/docs/Loans.md": "a loan runs 21 days"}
        )

        judgement = judge_scratchpad(scratchpad, rule_sets=(RuleSet("x", rules),))

        assert rejecting_keys(judgement) == []

    def test_what_no_rule_demands_stays_forbidden(
        self, rules: tuple[Rule, ...]
    ) -> None:
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md", "/logs/lent.tsv")
        scratchpad = valid_scratchpad(
            refs_why={
                "/docs/Loans.md": "a loan runs 21 days",
                "/logs/lent.tsv": "row 7 is b-104",
            }
        )

        judgement = judge_scratchpad(
            scratchpad, calls, rule_sets=(RuleSet("x", rules),)
        )

        assert rejecting_keys(judgement) == ["x/forbids"]
        assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."

    def test_both_rules_object_to_the_log_instead_of_the_rules(
        self, rules: tuple[Rule, ...]
    ) -> None:
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md", "/logs/lent.tsv")
        scratchpad = valid_scratchpad(refs_why={"/logs/lent.tsv": "row 7 is b-104"})

        judgement = judge_scratchpad(
            scratchpad, calls, rule_sets=(RuleSet("x", rules),)
        )

        assert sorted(rejecting_keys(judgement)) == ["x/demands", "x/forbids"]
        assert objection_of(judgement, "x/demands") == "`/docs/Loans.md` is missing."
        assert objection_of(judgement, "x/forbids") == "`/logs/lent.tsv` is surplus."


def fail(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Raise `KeyError: 'nothing'`, as a rule with a mistake may do."""
    return str({}["nothing"])


@pytest.mark.parametrize("enforcement", ["block", "ask"])
def test_a_rule_that_raises_does_not_apply_and_names_the_failed_line(
    enforcement: str,
) -> None:
    """A mistake in a rule of the user does not cost the answer."""
    rule_set = RuleSet("x", (Rule("broken", fail, enforcement),))

    judgement = judge_scratchpad(valid_scratchpad(), rule_sets=(rule_set,))

    assert judgement.accepted
    assert judgement.message == ""
    verdict = verdict_of(judgement, "x/broken")
    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith("the rule failed: KeyError: 'nothing'")
    assert "test_user_rules.py, line " in verdict.reason


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonesuch", "no rule set is called 'nonesuch': use one of ecom, posed"),
        ("nowhere.at:ALL", "cannot be loaded"),
        ("json:nothing", "cannot be loaded"),
        ("json:dumps", "is a function, not a controlplane.gates.rules.RuleSet"),
    ],
)
def test_a_rule_set_that_cannot_be_loaded_is_refused_in_one_line(
    name: str, message: str
) -> None:
    """It has a name, or is a Python object: `package.module:NAME`."""
    with pytest.raises(RuleSetError, match=message) as raised:
        load_rule_set(name)

    assert "\n" not in str(raised.value)
