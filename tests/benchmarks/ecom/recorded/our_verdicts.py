"""What our truths say of an answer that the grader of the public shop benchmark has refused.

    verdict_of(outlines, answer)  # REFUSED, if each outline finds a fault in the answer

Outlines are truths of our tasks without a shop, as that of the answer is unknown.
"""

from collections.abc import Sequence
from enum import Enum, auto

from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.truth_outlines import TruthOutline


class OurVerdict(Enum):
    """What our truths say of an answer that the public grader has refused."""

    REFUSED = auto()
    ACCEPTED = auto()
    UNKNOWN = auto()
    """The fault shows only in the shop of the answer, as in `expected no file changes`."""


def verdict_of(outlines: Sequence[TruthOutline], answer: RecordedAnswer) -> OurVerdict:
    """Refuse an answer in which each outline finds a fault; without outlines, any answer."""
    for outline in outlines:
        if not outline.faults_of(answer):
            return OurVerdict.ACCEPTED
    return OurVerdict.REFUSED
