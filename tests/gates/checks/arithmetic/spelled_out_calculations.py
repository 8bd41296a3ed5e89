"""Calculations that an answer spells out, and what rule `6/arithmetic` says of them."""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results
from controlplane.gates.support.arithmetic.shown_results import ShownResult
from tests.gates.found_verdicts import objection_of


def calculations_in(answer: str) -> list[ShownResult]:
    """Return the calculations that an answer spells out, each with `is_right`.

    `[found.is_right for found in calculations_in("12 + 7 = 19, and 12 of 80 (16 %)")]` ->
    `[True, False]`
    """
    return list(shown_results(answer, answer_values(answer)))


def objection_to_arithmetic(answer: str) -> str:
    """Return what the rule objects to in an answer: for "12 + 7 = 19" an empty string."""
    submission = Submission(answer=answer, outcome="OUTCOME_OK")
    judgement = judge(submission, Evidence(), Case("How much?"))
    return objection_of(judgement, "6/arithmetic")
