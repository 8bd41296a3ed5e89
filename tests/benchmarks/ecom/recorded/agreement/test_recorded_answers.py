"""Our tasks judge recorded answers as the grader of the public shop benchmark did.

People's agents answered there, and the public grader let each answer pass or named its fault. Our
tasks imitate the public ones. A task's truth, from which our grader knows what is right, should
refuse the same answers, such as a denial that does not cite the page on security.
"""

from collections import Counter

import pytest

from tests.benchmarks.ecom.recorded.agreement.recorded_agreement import agreement_on
from tests.benchmarks.ecom.recorded.answer_file import (
    RECORDED_FILE,
    recorded_answers,
)


@pytest.mark.heavy
@pytest.mark.skipif(
    not RECORDED_FILE.exists(), reason="the recorded answers are not there"
)
def test_our_truths_judge_recorded_answers_as_the_public_grader_did() -> None:
    """A few verdicts may differ, because the shops in which the answers were given are unknown.

    99.5 % of all verdicts must be alike, and 95 % of those on one family, a kind of request.
    """
    verdicts_by_family: dict[str, list[bool]] = {}
    differences: Counter[str] = Counter()
    for answer in recorded_answers():
        agreement = agreement_on(answer)
        if agreement is None:
            continue  # Only the answer's own shop, which is unknown, would show if it is wrong.
        verdicts_by_family.setdefault(answer.family, []).append(agreement.is_alike)
        if not agreement.is_alike:
            subject = f"t{answer.number:03} {answer.family} (passed: {answer.passed})"
            differences[f"{subject}: {agreement.difference}"] += 1

    assert len(verdicts_by_family) > 20  # The answers were found.
    all_verdicts = []
    for family, verdicts in verdicts_by_family.items():
        assert verdicts.count(True) / len(verdicts) >= 0.95, (family, differences)
        all_verdicts += verdicts
    assert all_verdicts.count(True) / len(all_verdicts) >= 0.995, differences
