"""A user may let a check of answers block, let it ask, or turn it off.

A check is a gate, such as 8, a rule of a gate, such as `6/wording`, or a rule of a set that the user
has chosen, such as `library/no-shouting`. A check that is off judges all the same, so that the user
sees what it would have stopped, but it neither stops the answer nor tells the model.
"""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from tests.gates.judged_scratchpads import (
    judge_scratchpad,
    rejecting_keys,
    valid_scratchpad,
    verdict_of,
)


class TestGates:
    """`GatePolicy({"8": "off"})` turns gate 8 off, with its rules if it has any."""

    def test_a_gate_that_is_not_off_stops_an_answer(self) -> None:
        # The script says that the word 22 must be in its answer, but it is not.
        scratchpad = valid_scratchpad(answer="A loan runs 21 days.", tokens=["22"])

        judgement = judge_scratchpad(scratchpad)

        assert not judgement.accepted
        assert "[gate 8: literal tokens] The declared token `22`" in judgement.message
        assert verdict_of(judgement, 8).result == "reject"
        assert verdict_of(judgement, 8).enforcement == "block"

    def test_a_gate_that_is_off_judges_but_stops_no_answer(self) -> None:
        scratchpad = valid_scratchpad(answer="A loan runs 21 days.", tokens=["22"])

        judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"8": "off"}))

        assert judgement.accepted
        assert judgement.message == ""
        assert verdict_of(judgement, 8).result == "reject"
        assert verdict_of(judgement, 8).enforcement == "off"

    def test_a_gate_is_off_with_its_rules(self) -> None:
        # The rule 6/wording objects to an answer that is the name of an outcome.
        scratchpad = valid_scratchpad(answer="OUTCOME_DENIED_SECURITY")

        judgement = judge_scratchpad(scratchpad, policy=GatePolicy({"6": "off"}))

        assert judgement.accepted
        assert verdict_of(judgement, "6/wording").result == "reject"
        assert verdict_of(judgement, "6/wording").enforcement == "off"

    def test_a_rule_of_a_gate_can_be_off_alone(self) -> None:
        scratchpad = valid_scratchpad(answer="OUTCOME_DENIED_SECURITY")

        judgement = judge_scratchpad(
            scratchpad, policy=GatePolicy({"6/wording": "off"})
        )

        assert judgement.accepted
        assert verdict_of(judgement, "6/wording").enforcement == "off"
        assert verdict_of(judgement, 6).enforcement != "off"

    def test_the_faults_that_checks_found_are_told_except_for_those_that_are_off(
        self,
    ) -> None:
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


def fault_of_capitals(submission: Submission, evidence: Evidence, case: Case) -> str:
    """A user's rule: return the fault of an answer in capitals; empty if there is none."""
    if submission.answer_text.isupper():
        return "do not shout"
    return ""


def fault_of_any_answer(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Another one, which objects to every answer."""
    return "speak up"


def judge_shouting(enforcements: dict[str, str]) -> Judgement:
    """Judge the answer "A LOAN RUNS 21 DAYS.", to which both rules of the set "library" object."""
    no_shouting = Rule(
        "no-shouting", fault_of_capitals
    )  # It asks, unless told otherwise.
    no_whisper = Rule("no-whisper", fault_of_any_answer, "block")
    judgement = judge_scratchpad(
        valid_scratchpad(answer="A LOAN RUNS 21 DAYS."),
        rule_sets=(RuleSet("library", (no_shouting, no_whisper)),),
        policy=GatePolicy(enforcements),
    )
    assert rejecting_keys(judgement) == ["library/no-shouting", "library/no-whisper"]
    return judgement


class TestRuleSets:
    """`{"library": "off"}` turns all rules of a set off, and `{"library/no-whisper": "off"}` one.

    The message has a line for each rule that is not off.
    """

    def test_rules_ask_or_block_as_they_are_declared(self) -> None:
        judgement = judge_shouting({})

        assert verdict_of(judgement, "library/no-shouting").enforcement == "ask"
        assert verdict_of(judgement, "library/no-whisper").enforcement == "block"
        assert judgement.message.splitlines() == [
            "[library/no-shouting; objection 1 of 2] do not shout",
            "[library/no-whisper] speak up",
        ]

    def test_a_rule_set_is_off_with_all_its_rules(self) -> None:
        judgement = judge_shouting({"library": "off"})

        assert verdict_of(judgement, "library/no-shouting").enforcement == "off"
        assert verdict_of(judgement, "library/no-whisper").enforcement == "off"
        assert judgement.accepted
        assert judgement.message == ""

    def test_one_rule_of_a_set_can_be_off(self) -> None:
        judgement = judge_shouting({"library/no-whisper": "off"})

        assert verdict_of(judgement, "library/no-shouting").enforcement == "ask"
        assert verdict_of(judgement, "library/no-whisper").enforcement == "off"
        assert judgement.message == (
            "[library/no-shouting; objection 1 of 2] do not shout"
        )

    def test_a_rule_set_can_be_off_except_for_one_rule(self) -> None:
        judgement = judge_shouting({"library": "off", "library/no-whisper": "ask"})

        assert verdict_of(judgement, "library/no-shouting").enforcement == "off"
        assert verdict_of(judgement, "library/no-whisper").enforcement == "ask"
        assert judgement.message == "[library/no-whisper; objection 1 of 2] speak up"
