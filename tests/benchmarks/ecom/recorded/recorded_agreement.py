"""Whether our own tasks judge recorded answers as the grader of the public shop benchmark did.

Our tasks imitate the public ones. Each has a truth, which says what a right answer is. If the
public grader refused an answer because it lacks a page, our truth should demand this page, too.
The worlds of recorded answers are unknown, so outlines are compared: truths without the world.

    agreement_on(answer)  # Agreement(is_alike=False, difference="ours rejects: missing basket")
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from tests.benchmarks.ecom.recorded.named_faults import (
    RECORD_PATH,
    OurVerdict,
    our_verdict,
)
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.task_outlines import outlines_for
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


class Agreement(NamedTuple):
    """Whether our truths judge an answer as the public grader did."""

    is_alike: bool
    difference: str = ""
    """How the verdicts differ, if they do: `ours rejects: missing basket`."""


AGREED: Final = Agreement(is_alike=True)


def agreement_on(answer: RecordedAnswer) -> Agreement | None:
    """Return whether our truths judge a recorded answer as the public grader did.

    None if the answer has a fault that shows only in its world, which is unknown.
    """
    # A task of ours may have several outcomes: only truths with the right one can be meant.
    outlines = [
        outline
        for outline in outlines_for(answer.number)
        if outline.outcome == answer.right_outcome
    ]
    if answer.passed:
        return agreement_on_passed(answer, outlines)

    # "expected outcome OUTCOME_OK, got OUTCOME_DENIED_SECURITY"
    if answer.line.startswith("expected outcome"):
        if outlines:
            return AGREED
        return Agreement(False, f"no task of ours expects {answer.right_outcome}")

    verdict = our_verdict(answer, outlines)
    if verdict is OurVerdict.UNKNOWN:
        return None
    if verdict is OurVerdict.REFUSED:
        return AGREED
    line_without_paths = RECORD_PATH.sub("..", answer.line)
    return Agreement(False, f"ours accepts: {line_without_paths}")


def agreement_on_passed(
    answer: RecordedAnswer, outlines: Sequence[TruthOutline]
) -> Agreement:
    """Return whether our truths accept an answer that the public grader let pass.

    They need to accept it in one world only: in others, another case of the task may be right.
    """
    if not outlines:
        return Agreement(False, "ours rejects: no task of ours has this outcome")
    faults_by_outline = [outline.faults_of(answer) for outline in outlines]
    fewest_faults = min(faults_by_outline, key=len)
    if not fewest_faults:
        return AGREED
    return Agreement(False, f"ours rejects: {', '.join(fewest_faults)}")
