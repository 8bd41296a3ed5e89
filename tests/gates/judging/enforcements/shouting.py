"""An answer in capitals, "A LOAN RUNS 21 DAYS.", and two rules of a user that object to it."""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def fault_of_capitals(submission: Submission, evidence: Evidence, case: Case) -> str:
    return "do not shout" if submission.answer_text.isupper() else ""


def fault_of_any_answer(submission: Submission, evidence: Evidence, case: Case) -> str:
    return "speak up"


def judge_shouting(enforcements: dict[str, str]) -> Judgement:
    """Judge the answer "A LOAN RUNS 21 DAYS.", to which both rules of the set `library` object.

    `enforcements` is what the user has chosen. `judge_shouting({"library/no-whisper": "off"})`
    .message -> "[library/no-shouting; objection 1 of 2] do not shout"
    """
    # This rule asks, unless told otherwise.
    no_shouting = Rule("no-shouting", fault_of_capitals)
    no_whisper = Rule("no-whisper", fault_of_any_answer, "block")
    return judge_scratchpad(
        valid_scratchpad(answer="A LOAN RUNS 21 DAYS."),
        rule_sets=(RuleSet("library", (no_shouting, no_whisper)),),
        policy=GatePolicy(enforcements),
    )
