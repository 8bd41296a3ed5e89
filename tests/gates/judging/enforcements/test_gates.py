"""A user may turn a gate off, a built-in check of answers: `GatePolicy({"8": "off"})`.

Gate 8 rejects an answer without the texts that its script declares as tokens. A gate that is off
judges all the same, so that the user sees what it would have stopped, but it neither stops the
answer nor tells the model.
"""

from __future__ import annotations

from controlplane.gates.gate_policy import GatePolicy
from tests.gates.found_verdicts import rejecting_keys, verdict_of
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def test_a_gate_that_is_not_off_stops_an_answer() -> None:
    # The script says that the word 22 must be in its answer, but it is not.
    scratchpad = valid_scratchpad(answer="A loan runs 21 days.", tokens=["22"])

    judgement = judge_scratchpad(scratchpad)

    assert not judgement.accepted
    assert "[gate 8: literal tokens] The declared token `22`" in judgement.message
    assert verdict_of(judgement, 8).result == "reject"
    assert verdict_of(judgement, 8).enforcement == "block"


def test_a_gate_that_is_off_judges_but_stops_no_answer() -> None:
    scratchpad = valid_scratchpad(answer="A loan runs 21 days.", tokens=["22"])

    judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"8": "off"}))

    assert judgement.accepted
    assert judgement.message == ""
    assert verdict_of(judgement, 8).result == "reject"
    assert verdict_of(judgement, 8).enforcement == "off"


def test_the_faults_that_checks_found_are_told_except_for_those_that_are_off() -> None:
    scratchpad = valid_scratchpad(
        answer="OUTCOME_DENIED_SECURITY",  # a fault of 6/wording
        refs_why={"/docs/Loans.md": "relevant document"},  # gate 5: too vague
        tokens=["22"],  # gate 8
    )

    judgement = judge_scratchpad(
        scratchpad, policy=GatePolicy({"8": "off", "5": "off"})
    )

    assert rejecting_keys(judgement) == ["5", "6/wording", "8"]
    assert verdict_of(judgement, 5).enforcement == "off"
    assert verdict_of(judgement, "6/wording").enforcement == "ask"
    assert verdict_of(judgement, 8).enforcement == "off"
    (only_line,) = judgement.message.splitlines()
    assert only_line.startswith("[gate 6: wording; objection 1 of 2]")
