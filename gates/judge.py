"""Runs all gates and rules on one submission, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from gates.checks.gate1_verify_signature import judge_verify_signature
from gates.checks.gate2_fact_shapes import judge_fact_shapes
from gates.checks.gate3_canonical_citations import judge_canonical_citations
from gates.checks.gate4_read_citations import judge_read_citations
from gates.checks.gate5_justification import judge_justification
from gates.checks.gate6_outcome_class import hints_of, judge_outcome_class
from gates.checks.gate7_verify_reply import GATE as VERIFY_GATE
from gates.checks.gate7_verify_reply import judge_verify_reply
from gates.checks.gate8_literal_tokens import judge_literal_tokens
from gates.rule_packs import Pack
from gates.types.evidence import Evidence
from gates.types.plain_data import Plain, describe
from gates.types.submission import Case, Submission
from gates.types.verdict import GATE_NAMES, Judgement, Verdict

Gate: TypeAlias = Callable[[Submission, Evidence, Case], Verdict]

GATES: Final[dict[int, Gate]] = {
    1: judge_verify_signature,
    2: judge_fact_shapes,
    3: judge_canonical_citations,
    4: judge_read_citations,
    5: judge_justification,
    6: judge_outcome_class,
    7: judge_verify_reply,
    8: judge_literal_tokens,
}
ALL_GATES: Final = frozenset(GATES)


def judge(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    *,
    switched_on: frozenset[int] = ALL_GATES,
    packs: Sequence[Pack] = (),
) -> Judgement:
    """Judge a submission by every gate and by the rules of `packs`, and return one judgement.

    Gates 1 to 6, gate 8 and the packs always run, so that one message carries every fault. Gate 7 calls the script's
    own code; it runs last, and only if no enforced gate or rule rejects. A gate outside `switched_on` runs as well, for
    the record; its verdict is marked as not enforced and stays out of the message.
    """
    verdicts = {
        number: _mark_enforced(gate(submission, evidence, case), switched_on)
        for number, gate in GATES.items()
        if number != VERIFY_GATE
    }
    of_packs = [rule.judge(pack.name, submission, evidence, case) for pack in packs for rule in pack.rules]
    if any(verdict.rejects and verdict.enforced for verdict in (*verdicts.values(), *of_packs)):
        name = GATE_NAMES[VERIFY_GATE]
        last = Verdict(VERIFY_GATE, name, "skipped", "runs only if everything else passes")
    else:
        last = GATES[VERIFY_GATE](submission, evidence, case)
    verdicts[VERIFY_GATE] = _mark_enforced(last, switched_on)
    ordered = (*(verdicts[number] for number in sorted(verdicts)), *of_packs)
    held_up = [verdict for verdict in ordered if verdict.rejects and verdict.enforced]
    return Judgement(
        accepted=not held_up,
        message="\n".join(_heading(verdict) + verdict.reason for verdict in held_up),
        verdicts=ordered,
        answer=_sendable(submission.answer),
        outcome=_sendable(submission.outcome),
        refs=tuple(_sendable(each) for each in submission.citations),
        hints=hints_of(submission, evidence),
    )


def _mark_enforced(verdict: Verdict, switched_on: frozenset[int]) -> Verdict:
    return verdict if verdict.gate in switched_on else replace(verdict, enforced=False)


def _heading(verdict: Verdict) -> str:
    return f"[gate {verdict.gate}: {verdict.name}] " if verdict.gate else f"[{verdict.name}] "


def _sendable(value: Plain) -> str:
    """Return text as it is and any other value as a description, both without what UTF-8 cannot carry."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
