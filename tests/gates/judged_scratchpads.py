"""Scratchpads that a script submits, and how the gates judge them.

A scratchpad is a dictionary with an answer, its outcome and its citations. Eight gates, and rules
such as `6/wording`, compare it with the calls that the trial made, and accept or reject it:
`objection_of(judge_scratchpad(valid_scratchpad(answer="")), 6)` -> "The answer is empty: …"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.gates.gate_policy import GatePolicy
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.rules import RuleSet
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Judgement, Verdict
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
    case = Case(
        instruction=instruction,
        rules=rules,
        rules_path="/RULES.md",
        internal_errors_before=internal_errors_before,
        now=now,
    )
    return judge(
        submission_of(scratchpad, verify),
        calls.evidence,
        case,
        policy=policy,
        rule_sets=rule_sets,
        earlier_objections=earlier_objections,
    )


def verdict_of(judgement: Judgement, key: int | str) -> Verdict:
    """Return the verdict of a gate, such as 7, or of a rule, such as `"6/wording"`."""
    for verdict in judgement.verdicts:
        if verdict.key == str(key):
            return verdict
    raise AssertionError(f"no verdict of {key}")


def objection_of(judgement: Judgement, key: int | str) -> str:
    """Return the reason why a gate or a rule rejects; an empty string if it does not."""
    verdict = verdict_of(judgement, key)
    if verdict.result == "reject":
        return verdict.reason
    return ""


def rejecting_keys(judgement: Judgement) -> list[str]:
    """Return the keys of all gates and rules that reject: `["5", "6/wording"]`."""
    keys: list[str] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject":
            keys.append(verdict.key)
    return keys


def rejecting_gates(judgement: Judgement) -> list[int]:
    """Return each gate that rejects itself or by one of its rules: `[5, 6]`."""
    gates: list[int] = []
    for verdict in judgement.verdicts:
        if verdict.result == "reject" and verdict.gate not in gates:
            gates.append(verdict.gate)
    return gates
