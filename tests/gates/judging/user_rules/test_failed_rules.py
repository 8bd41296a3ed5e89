"""A rule of a user that raises an exception does not cost the answer.

A rule is a function that objects to an answer. If it has a mistake, its verdict is
`not_applicable`, and names the failed line: "the rule failed: KeyError: 'nothing'
(test_failed_rules.py, line 22)".
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def fail(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Raise `KeyError: 'nothing'`, as a rule with a mistake may do."""
    return str({}["nothing"])


@pytest.mark.parametrize("enforcement", ["block", "ask"])
def test_a_rule_that_raises_does_not_apply_and_names_the_failed_line(
    enforcement: str,
) -> None:
    rule_set = RuleSet("x", (Rule("broken", fail, enforcement),))

    judgement = judge_scratchpad(valid_scratchpad(), rule_sets=(rule_set,))

    assert judgement.accepted
    assert judgement.message == ""
    verdict = verdict_of(judgement, "x/broken")
    assert verdict.result == "not_applicable"
    assert verdict.reason.startswith("the rule failed: KeyError: 'nothing'")
    assert ".py, line " in verdict.reason
