"""Runs all gates and rules on one submission, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
from gates.rule_packs import Pack, not_applicable
from gates.types.evidence import Evidence
from gates.types.plain_data import Plain, describe
from gates.types.submission import Case, Submission
from gates.types.verdict import GATE_NAMES, PACK_GATE, Judgement, Verdict

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
_PLACE_OF_PACKS: Final = len(GATES) + 1
NO_WORKSPACE: Final = "there is no workspace to read"
"""Why a recomputation does not apply to an answer alone."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The verdicts on a submission that need nothing but data: of every gate but the seventh, and of rule packs."""

    verdicts: tuple[Verdict, ...]
    hints: tuple[str, ...]


def find_faults(submission: Submission, evidence: Evidence, case: Case, packs: Sequence[Pack] = ()) -> Findings:
    """Judge a submission by gates 1 to 6, gate 8 and the rules of `packs`: all of them, so that one message carries
    every fault. Nothing can be read here, so that no recomputation applies."""
    verdicts = [gate(submission, evidence, case) for number, gate in GATES.items() if number != VERIFY_GATE]
    verdicts += [rule.judge(pack.name, submission, evidence, case) for pack in packs for rule in pack.rules]
    verdicts += [not_applicable(pack.name, each.name, NO_WORKSPACE) for pack in packs for each in pack.recomputations]
    return Findings(tuple(verdicts), hints_of(submission, evidence))


def conclude(submission: Submission, findings: Findings, switched_on: frozenset[int] = ALL_GATES) -> Judgement:
    """Return the judgement that the findings and gate 7 make.

    Gate 7 calls the script's own code; it runs last, and only if no enforced gate or rule rejects. The verdict of a
    gate outside `switched_on` is there for the record: it is marked as not enforced and stays out of the message.
    """
    verdicts = [_mark_enforced(each, switched_on) for each in findings.verdicts]
    if any(each.result == "reject" and each.enforced for each in verdicts):
        name = GATE_NAMES[VERIFY_GATE]
        last = Verdict(VERIFY_GATE, name, "skipped", "runs only if everything else passes")
    else:
        last = judge_verify_reply(submission, Evidence(), Case(""))
    last = _mark_enforced(last, switched_on)
    ordered = tuple(sorted((*verdicts, last), key=lambda each: each.gate or _PLACE_OF_PACKS))
    held_up = [each for each in ordered if each.result == "reject" and each.enforced]
    return Judgement(
        accepted=not held_up,
        message="\n".join(_heading(verdict) + verdict.reason for verdict in held_up),
        verdicts=ordered,
        answer=_sendable(submission.answer),
        outcome=_sendable(submission.outcome),
        refs=tuple(_sendable(each) for each in submission.citations),
        hints=findings.hints,
    )


def judge(
    submission: Submission,
    evidence: Evidence,
    case: Case,
    *,
    switched_on: frozenset[int] = ALL_GATES,
    packs: Sequence[Pack] = (),
) -> Judgement:
    """Judge a submission by every gate and by the rules of `packs`, and return one judgement."""
    return conclude(submission, find_faults(submission, evidence, case, packs), switched_on)


def _mark_enforced(verdict: Verdict, switched_on: frozenset[int]) -> Verdict:
    return verdict if verdict.gate in switched_on or verdict.gate == PACK_GATE else replace(verdict, enforced=False)


def _heading(verdict: Verdict) -> str:
    return f"[gate {verdict.gate}: {verdict.name}] " if verdict.gate else f"[{verdict.name}] "


def _sendable(value: Plain) -> str:
    """Return text as it is and any other value as a description, both without what UTF-8 cannot carry."""
    if value is None:
        return ""
    text = value if isinstance(value, str) else describe(value)
    return text.encode("utf-8", "replace").decode("utf-8")
