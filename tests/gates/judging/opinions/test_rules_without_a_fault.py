"""A rule of a user does not apply if it cannot judge an answer, or returns something unexpected.

A rule is a function that returns the fault of an answer, such as "count again". A number instead is
a mistake of the rule, which must not cost the answer: "the rule failed: TypeError: 'int' object …".
"""

from __future__ import annotations

from controlplane.gates.opinions import Inapplicable
from tests.gates.judging.opinions.opinion_verdicts import verdict_on


def test_a_rule_that_cannot_judge_does_not_apply() -> None:
    verdict = verdict_on(Inapplicable("nothing to add up"))

    assert verdict.result == "not_applicable"
    assert verdict.reason == "nothing to add up"


def test_a_rule_that_returns_something_else_has_failed_and_does_not_apply() -> None:
    """A number alone is neither a fault nor a list of faults."""
    verdict = verdict_on(7)  # type: ignore[arg-type] # a rule's mistake

    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith("the rule failed: TypeError: 'int' object")


def test_values_of_other_types_in_a_list_are_ignored() -> None:
    opinion: list[object] = [None, 7, "count again"]

    verdict = verdict_on(opinion)  # type: ignore[arg-type] # a rule's mistake

    assert verdict.result == "reject"
    assert verdict.reason == "count again"
