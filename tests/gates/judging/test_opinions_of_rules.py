"""What the function of a rule returns, its opinion, and the verdict that follows from it.

Rule("sum", lambda submission, evidence, case: "count again")
# Verdict(name="sum", result="reject", reason="count again", ...)
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.rules import Rule
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import RULE_SET_GATE, Verdict


def verdict_on(opinion: Opinion, *, rule_set: str = "") -> Verdict:
    """Return the verdict of a rule, called `sum`, whose function returns this opinion."""
    rule = Rule("sum", lambda submission, evidence, case: opinion)
    returned_opinion = rule.opinion(Submission(), Evidence(), Case(""))
    no_paths: frozenset[str] = frozenset()
    return rule.verdict(
        returned_opinion, cited=no_paths, demanded=no_paths, rule_set=rule_set
    )


def test_a_verdict_names_the_rule_and_its_rule_set() -> None:
    verdict = verdict_on("count again", rule_set="library")

    assert verdict.gate == RULE_SET_GATE
    assert verdict.name == "library/sum"


@pytest.mark.parametrize("opinion", [None, "", []])
def test_a_rule_that_returns_no_fault_passes(opinion: Opinion) -> None:
    verdict = verdict_on(opinion)

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_a_rule_that_returns_a_fault_rejects() -> None:
    verdict = verdict_on("count again")

    assert verdict.result == "reject"
    assert verdict.reason == "count again"


def test_a_rule_that_returns_a_list_of_faults_rejects_for_all_of_them() -> None:
    """The second one is empty, and no fault."""
    verdict = verdict_on(["one", "", "two"])

    assert verdict.result == "reject"
    assert verdict.reason == "one\ntwo"


def test_values_of_other_types_in_a_list_are_ignored() -> None:
    opinion: list[object] = [None, 7, "count again"]

    verdict = verdict_on(opinion)  # type: ignore[arg-type] # a rule's mistake

    assert verdict.result == "reject"
    assert verdict.reason == "count again"


def test_a_rule_that_cannot_judge_does_not_apply() -> None:
    verdict = verdict_on(Inapplicable("nothing to add up"))

    assert verdict.result == "not_applicable"
    assert verdict.reason == "nothing to add up"


def test_a_rule_that_returns_something_else_has_failed_and_does_not_apply() -> None:
    """A number alone is neither a fault nor a list of faults."""
    verdict = verdict_on(7)  # type: ignore[arg-type] # a rule's mistake

    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith("the rule failed: TypeError: 'int' object")
