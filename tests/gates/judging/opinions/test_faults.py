"""A rule of a user rejects an answer by returning a fault, or a list of faults.

Rule("sum", lambda submission, evidence, case: "count again")
# Verdict(name="sum", result="reject", reason="count again", ...)
"""

from __future__ import annotations

import pytest

from controlplane.gates.opinions import Opinion
from controlplane.gates.verdicts import RULE_SET_GATE
from tests.gates.judging.opinions.opinion_verdicts import verdict_on


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
