"""Scratchpads that a script submits, and how the gates judge them.

A scratchpad is a dictionary with an answer, its outcome and its citations. Eight gates, and rules
such as `6/wording`, compare it with the calls that the trial made, and accept or reject it:
`judge_scratchpad(valid_scratchpad(answer="")).message` -> "[gate 6: outcome] The answer is empty:
…"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement
from tests.gates.recorded_calls import CallsOfTrial
from tests.gates.scripted_verify import ScriptedVerify


def valid_scratchpad(**changed: object) -> dict[str, object]:
    """Return a scratchpad that every gate accepts if the trial read `/docs/Loans.md`.

    `changed` replaces or adds values: `valid_scratchpad(outcome="WELL", changes=[])`.
    """
    scratchpad: dict[str, object] = {
        "answer": "A loan runs 21 days.",
        "outcome": "OUTCOME_OK",
        "refs_why": {"/docs/Loans.md": "rule that a loan runs 21 days"},
    }
    scratchpad.update(changed)
    return scratchpad


def submission_of(
    scratchpad: object, verify: ScriptedVerify | None = None
) -> Submission:
    """Submit a scratchpad; without `verify`, the script's own check confirms the answer."""
    verify = verify or ScriptedVerify()
    return Submission.from_scratchpad(scratchpad, verify.probe)


def judge_scratchpad(
    scratchpad: object,
    calls: CallsOfTrial | None = None,
    *,
    instruction: str = "How long does a loan run?",
    rules: str = "",
    now: str = "",
    verify: ScriptedVerify | None = None,
    internal_errors_before: int = 0,
    policy: GatePolicy | None = None,
    rule_sets: Sequence[RuleSet] = (),
    earlier_objections: Mapping[str, Sequence[str]] | None = None,
) -> Judgement:
    """Let all gates, and the rules of `rule_sets`, judge a scratchpad after these calls.

    Without `calls`, the trial read `/docs/Loans.md`; without `verify`, it confirms the answer.
    `internal_errors_before` is how often the trial has given up before, and `earlier_objections`
    are the reasons of earlier rejections: `{"6/wording": ["names an outcome class"]}`.
    """
    if calls is None:
        calls = CallsOfTrial()
        calls.read("/docs/Loans.md")
    case = Case(instruction, rules, "/RULES.md", internal_errors_before, now)
    return judge(
        submission_of(scratchpad, verify),
        calls.evidence,
        case,
        policy=policy,
        rule_sets=rule_sets,
        earlier_objections=earlier_objections,
    )
