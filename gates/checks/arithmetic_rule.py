"""Objects to wrong arithmetic in an answer: the rule `arithmetic` of gate 6."""

from __future__ import annotations

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import quote
from controlplane.gates.submission import OK, Case, Submission
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results


def ask_arithmetic(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Object to wrong arithmetic in an OK answer: `300 + 470 = 780`."""
    if submission.outcome != OK:
        return Inapplicable("the trial refuses")
    answer = submission.answer_text
    faults: list[str] = []
    for calculation in shown_results(answer, answer_values(answer)):
        if not calculation.is_right:
            faults.append(
                f"{quote(calculation.text)} does not come out: compute it in a script, and print "
                "it."
            )
    return faults
