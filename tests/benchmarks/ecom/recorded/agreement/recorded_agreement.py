"""Whether our tasks judge recorded answers as the grader of the public shop benchmark did.

The *truth* of a task says what its right answer is. The shop of a recorded answer is unknown, so
*outlines* judge it: truths without a shop, "DENIED, and one basket must be cited".

    answer = RecordedAnswer(number=98, outcome=DENIED, refs=("/docs/a.md",), passed=True, ...)
    agreement_on(answer)  # Agreement(is_alike=False, difference="ours rejects: missing basket")

`number` is that of the public task, and `answer.line` the fault that the public grader named.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tests.benchmarks.ecom.recorded.fault_lines import without_record_paths
from tests.benchmarks.ecom.recorded.named_faults import our_verdict
from tests.benchmarks.ecom.recorded.our_verdicts import OurVerdict
from tests.benchmarks.ecom.recorded.public_outlines import outlines_for
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


class Agreement(NamedTuple):
    is_alike: bool
    difference: str = ""
    """How the verdicts differ, if they do: `ours rejects: missing basket`."""


AGREED: Final = Agreement(is_alike=True)


def agreement_on(answer: RecordedAnswer) -> Agreement | None:
    """Return whether our truths judge an answer alike; None if nobody can tell without its shop."""
    # Our tasks of this kind may have several outcomes. Those with the right one are alike.
    outlines = [
        outline
        for outline in outlines_for(answer.number)
        if outline.outcome == answer.right_outcome
    ]
    if answer.passed:
        return agreement_on_passed(answer, outlines)
    # "expected outcome OUTCOME_OK, got ...": the outlines demand OUTCOME_OK, too, and refuse it.
    if answer.line.startswith("expected outcome"):
        if outlines:
            return AGREED
        return Agreement(False, f"no task of ours expects {answer.right_outcome}")
    return agreement_on_fault(answer, outlines)


def agreement_on_passed(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline]
) -> Agreement:
    """Return whether our truths accept an answer that the public grader let pass.

    One outline that accepts the answer is enough: the others may be of other cases of the task.
    """
    if not outlines:
        return Agreement(False, "ours rejects: no task of ours has this outcome")
    faults_by_outline = [outline.faults_of(answer) for outline in outlines]
    fewest_faults = min(faults_by_outline, key=len)
    if not fewest_faults:
        return AGREED
    return Agreement(False, f"ours rejects: {', '.join(fewest_faults)}")


def agreement_on_fault(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline]
) -> Agreement | None:
    """Return whether our truths refuse an answer for the fault that the public grader named."""
    verdict = our_verdict(answer, outlines)
    if verdict is OurVerdict.UNKNOWN:
        return None
    if verdict is OurVerdict.REFUSED:
        return AGREED
    return Agreement(False, f"ours accepts: {without_record_paths(answer.line)}")
