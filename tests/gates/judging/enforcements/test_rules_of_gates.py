"""A user may turn a rule of a gate off, alone or with its gate: `GatePolicy({"6/wording": "off"})`.

Gate 6 is one of the built-in checks of answers. Its rule `6/wording` objects to an answer that is
the name of an outcome. A rule that is off judges all the same, but it stops no answer.
"""

from __future__ import annotations

from controlplane.gates.gate_policy import GatePolicy
from tests.gates.found_verdicts import verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def test_a_gate_is_off_with_its_rules() -> None:
    scratchpad = valid_scratchpad(answer="OUTCOME_DENIED_SECURITY")

    judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"6": "off"}))

    assert judgement.accepted
    assert verdict_of(judgement, "6/wording").result == "reject"
    assert verdict_of(judgement, "6/wording").enforcement == "off"


def test_a_rule_of_a_gate_can_be_off_alone() -> None:
    scratchpad = valid_scratchpad(answer="OUTCOME_DENIED_SECURITY")

    judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"6/wording": "off"}))

    assert judgement.accepted
    assert verdict_of(judgement, "6/wording").enforcement == "off"
    assert verdict_of(judgement, 6).enforcement != "off"
