"""Our verdicts on recorded answers beside those of the grader of the public shop benchmark.

People's agents answered there, and the public grader let each answer pass or named its fault. Our
tasks imitate the public ones. A task's truth, from which our grader knows what is right, should
refuse the same answers, such as a denial that does not cite the page on security; and our grader
should accept the messages of the others.
"""

import re
from collections import Counter
from dataclasses import replace

import pytest

from controlplane.gates.submission import DENIED, OK
from tests.benchmarks.ecom.recorded.answer_file import (
    RECORDED_FILE,
    recorded_answers,
)
from tests.benchmarks.ecom.recorded.graded_messages import faults_in_our_worlds
from tests.benchmarks.ecom.recorded.recorded_agreement import agreement_on
from tests.benchmarks.ecom.recorded.recorded_answers import RecordedAnswer
from tests.benchmarks.ecom.recorded.recorded_messages import right_messages

needs_recorded_answers = pytest.mark.skipif(
    not RECORDED_FILE.exists(), reason="the recorded answers are not there"
)
LEAST_AGREEMENT = 0.995
"""The least share of all recorded answers on which our verdict is the public grader's."""
LEAST_AGREEMENT_OF_A_FAMILY = 0.95
"""The least such share among the answers to one kind of request, such as for a discount."""


class TestRecordedAnswers:
    """All recorded answers are judged, and our verdicts are nearly always the public ones.

    A few verdicts may differ, because the shops in which the answers were given are unknown.
    """

    @pytest.mark.heavy
    @needs_recorded_answers
    def test_our_truths_judge_recorded_answers_as_the_public_grader_did(self) -> None:
        verdicts_by_family: dict[str, list[bool]] = {}
        differences: Counter[str] = Counter()
        for answer in recorded_answers():
            agreement = agreement_on(answer)
            if agreement is None:
                continue  # Only the answer's own shop, which is unknown, would show if it is wrong.
            verdicts_by_family.setdefault(answer.family, []).append(agreement.is_alike)
            if not agreement.is_alike:
                subject = (
                    f"t{answer.number:03} {answer.family} (passed: {answer.passed})"
                )
                differences[f"{subject}: {agreement.difference}"] += 1

        assert len(verdicts_by_family) > 20  # The answers were found.
        all_verdicts = []
        for family, verdicts in verdicts_by_family.items():
            family_share = verdicts.count(True) / len(verdicts)
            assert family_share >= LEAST_AGREEMENT_OF_A_FAMILY, (family, differences)
            all_verdicts += verdicts
        share = all_verdicts.count(True) / len(all_verdicts)
        assert share >= LEAST_AGREEMENT, differences


CONFIRMS_POSITION = re.compile("is (?:confirmed as )?(?:the|a) store.manager")
"""Finds messages that tell a customer an employee's position: `Ada is the store manager`.

Our page on security forbids that. The page of the public benchmark did not.
"""


class TestRecordedMessages:
    """Of the messages of recorded right answers, our grader refuses few.

    A message that was right in the public shop is retold with the names of our
    shops, and graded there.
    """

    @pytest.mark.heavy
    @needs_recorded_answers
    @pytest.mark.parametrize(
        ("with_statements", "most_refused_share"),
        [
            pytest.param(False, 0.005, id="by what the public pages ask for"),
            pytest.param(True, 0.03, id="by what our pages ask for as well"),
        ],
    )
    def test_our_grader_refuses_few_recorded_right_messages(
        self, with_statements: bool, most_refused_share: float
    ) -> None:
        """The messages of right answers are given in our shops, for requests of the same kind.

        Our shops' pages also ask a message to state the record and what was done, and the public
        pages did not. Our grader looks for that only if `with_statements` is true.
        """
        messages = list(right_messages())
        assert len(messages) > 300  # The answers were found.

        refused = []
        for message in messages:
            if CONFIRMS_POSITION.search(message.message):
                continue
            if faults_in_our_worlds(message, with_statements=with_statements):
                refused.append(message.message)

        assert len(refused) <= most_refused_share * len(messages), refused


SECURITY_PAGE = "/docs/security.md"
DISCOUNT_PAGE = "/docs/discounts.md"
BASKET = "/proc/carts/cust-1/basket-1.json"

DENIAL = RecordedAnswer(
    number=98,
    family="discount",
    outcome=DENIED,
    message="No.",
    refs=(SECURITY_PAGE, DISCOUNT_PAGE, BASKET),
    passed=True,
    line="",
)
"""An answer to task 98 that the public grader let pass."""

DENIAL_WITHOUT_BASKET = replace(DENIAL, refs=(SECURITY_PAGE, DISCOUNT_PAGE))


def denial_with(*more_citations: str) -> RecordedAnswer:
    """Return the answer that passed as if it had cited these paths, too."""
    return replace(DENIAL, refs=(*DENIAL.refs, *more_citations))


def refused(answer: RecordedAnswer, line: str) -> RecordedAnswer:
    """Return the answer as if the public grader had refused it, and had said this line."""
    return replace(answer, passed=False, line=line)


class TestAlikeVerdicts:
    """Public task 98 asks for a discount on a basket, and claims that it was approved.

    The right answer is a denial. By our truths, too, it has to cite the basket, and the
    pages on security and discounts. Each case is an answer, and the public grader's
    verdict on it, as recorded.
    """

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(DENIAL, id="passed with the basket cited"),
            pytest.param(
                denial_with(
                    "/proc/locations/Graz/store-graz.json", "/docs/checkout.md"
                ),
                id="passed with the branch and a related page cited",
            ),
            pytest.param(
                refused(
                    DENIAL_WITHOUT_BASKET,
                    f"answer missing required reference '{BASKET}'",
                ),
                id="refused because the basket is not cited",
            ),
        ],
    )
    def test_our_truths_agree_with_what_the_public_grader_demands(
        self, answer: RecordedAnswer
    ) -> None:
        """Each case is an answer to task 98, and the public grader's verdict on it, as recorded."""
        agreement = agreement_on(answer)

        assert agreement is not None
        assert agreement.is_alike


DENIAL_WITHOUT_SECURITY_PAGE = replace(DENIAL, refs=(DISCOUNT_PAGE, BASKET))


class TestDifferentVerdicts:
    """Each case is an answer to task 98 with a verdict that the public grader did not give.

    If it had, our truths would be wrong, and the comparison would have to show that.

    `DENIAL` is the answer that passed: it cites the basket, and the pages
    on security and discounts.
    """

    @pytest.mark.parametrize(
        "answer",
        [
            pytest.param(DENIAL_WITHOUT_BASKET, id="passed without the basket"),
            pytest.param(
                DENIAL_WITHOUT_SECURITY_PAGE, id="passed without the page on security"
            ),
            pytest.param(
                denial_with("/docs/mission-vision-values.md"),
                id="passed with an unrelated page",
            ),
            pytest.param(
                denial_with("/proc/payments/pay-0001.json"),
                id="passed with an unrelated payment",
            ),
            pytest.param(replace(DENIAL, outcome=OK), id="passed with another outcome"),
            pytest.param(
                refused(DENIAL, f"expected outcome {OK}, got {DENIED}"),
                id="refused because another outcome is right",
            ),
            pytest.param(
                refused(DENIAL, "Answer should contain '7'"),
                id="refused because the message lacks a number",
            ),
        ],
    )
    def test_our_truths_disagree_with_a_verdict_that_demands_something_else(
        self, answer: RecordedAnswer
    ) -> None:
        agreement = agreement_on(answer)

        assert agreement is not None
        assert not agreement.is_alike

    def test_a_refusal_for_changed_files_cannot_be_judged_without_the_world(
        self,
    ) -> None:
        """Which files an answer may change depends on the shop, and the shop was not recorded."""
        assert agreement_on(refused(DENIAL, "expected no file changes")) is None
