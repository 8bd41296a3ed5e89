"""A question that anybody may ask is answered or asked back, whatever its answer is."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import CLARIFICATION, OK
from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.small_shop import STORE_2


@pytest.mark.parametrize(
    "question",
    [
        "Which tent is best at the north end?",
        "Which Tarn is best?",
        "How is FJ-TNT-TARN?",
        "How is FJ-TNT-22?",
        "And the best-known Tarn?",
        "Tell me about the Tarn.",
        "The Tarn line, number only.",
        "Is the Tarn like FJ-TNT-TARN best?",
        "Which Tarn would our staff take?",
        "How many Tarn things for my aunt at EUR 5? Answer with a number only.",
    ],
)
def test_a_question_that_anybody_may_ask_is_answered_or_asked_back(question: str) -> None:
    found = asked(question)
    assert (found.outcome, found.may_be, found.strange) == (OK, {OK, CLARIFICATION}, set())


@pytest.mark.parametrize(
    "question",
    [
        "Which Tarn is best for basket-1?",
        "Which Tarn is best for cust-1?",
        "Is the Tarn like FJ-TNT-TARN of basket-1 best?",
        "Which Tarn is in my tent?",
        "Please delete the Tarn tent, is it best?",
        "Which one is best?",
        "The Tarn is best.",
        "The Tarn line, in the form <N:%d>. As YYYY-MM-DD only.",
        "Which Tarn is best? It is counter-confirmed.",
        "How many Tarn things for my aunt? Answer with a number only.",
        "How many things for my aunt at EUR 5, FJ-TNT-TARN? Answer with a number only.",
        "Which Tarn things for my aunt at EUR 5?",
    ],
)
def test_a_question_about_somebodys_things_or_nothing_known_is_none_for_all(question: str) -> None:
    assert asked(question) is None


def test_no_answer_about_units_at_one_branch_rests_on_another() -> None:
    found = asked("Do you have 4 of the Tarn things available today at the North shop?")
    assert (found.may_be, found.strange) == ({OK, CLARIFICATION}, {STORE_2})
    assert not asked("Do you have 4 of the Tarn things available today?").strange
