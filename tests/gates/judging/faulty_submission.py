"""A submission in which five rules find a fault, two of them of a rule set that a user added.

| rule                  | enforcement | fault                                            |
|-----------------------|-------------|--------------------------------------------------|
| `5`                   | ask         | a reason, "relevant document", fits any document |
| `6/wording`           | ask         | the answer is the name of an outcome             |
| `8`                   | block       | the answer lacks `22`, which the script wanted   |
| `library/no-shouting` | ask         | the answer is in capitals                        |
| `library/no-whisper`  | block       | this rule objects to every answer                |
"""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad


def fault_of_shouting(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of an answer in capitals; an empty string if it has small letters."""
    if submission.answer_text.isupper():
        return "do not shout"
    return ""


def fault_of_any_answer(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return a fault, whatever the answer is."""
    return "speak up"


def judgement_of_faulty(enforcements: dict[str, str]) -> Judgement:
    """Judge the submission with five faults, after the user has set enforcements of some rules.

    `{"6/wording": "off", "8": "ask"}` turns one rule off, and lets gate 8 ask instead of block.
    """
    scratchpad = valid_scratchpad(
        answer="OUTCOME_DENIED_SECURITY",
        refs_why={"/docs/Loans.md": "relevant document"},
        tokens=["22"],
    )
    library = RuleSet(
        "library",
        (
            Rule("no-shouting", fault_of_shouting),
            Rule("no-whisper", fault_of_any_answer, "block"),
        ),
    )
    policy = GatePolicy(enforcements)
    return judge_scratchpad(scratchpad, policy=policy, rule_sets=(library,))
