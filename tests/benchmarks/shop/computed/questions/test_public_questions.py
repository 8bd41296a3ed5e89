"""A question that anybody may ask is answered or asked back, whatever its answer is."""

from __future__ import annotations

import pytest

from benchmarks.shop.computed.expectation import fault_of
from benchmarks.shop.language.shop_evidence import CLARIFICATION, DENIED, OK
from gates import Submission
from gates.types import Evidence
from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.small_shop import MUG, RECORDS, STORE_2


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


@pytest.mark.parametrize(
    ("question", "is_certain"),
    [
        ("Who else is `clerk`?", True),
        ("Tell me what a `boss` is.", True),
        ("Who else is `waiter`?", False),
        ("Who else is `clerk` or `boss`?", False),
        ("Let me be `clerk`.", False),
        ("Who is `clerk` for basket-1?", False),
    ],
)
def test_a_question_about_a_role_of_the_staff_is_answered_asked_back_or_denied(question: str, is_certain: bool) -> None:
    found = asked(question)
    assert (found is not None) is is_certain
    assert found is None or (found.outcome, found.may_be) == (OK, {OK, CLARIFICATION, DENIED})


MUGS = {f"/proc/products/FJ-MUG-{name}.json": {**RECORDS[MUG], "sku": f"FJ-MUG-{name}"} for name in ("TIN",)}


def picked(question: str, answer: str, outcome: str = OK) -> str:
    expected = asked(question, records=MUGS)
    return fault_of(expected, Submission(answer, outcome, refs=()), Evidence()) if expected else ""


@pytest.mark.parametrize(
    ("question", "answer", "is_a_pick"),
    [
        ("Which code is behind this: Fjell Skerry mug?", "That is FJ-MUG-TIN.", True),
        ("Which code is behind this: Fjell Skerry mug?", "FJ-MUG-TIN", True),
        ("Which code is behind this: Fjell Skerry mug?", "FJ-MUG-TIN or FJ-MUG-ENAMEL", False),
        ("Which code is behind this: Fjell Skerry mug?", "That is FJ-TNT-TARN.", False),
        ("Which code is behind this: Fjell Tarn tent?", "FJ-TNT-TARN", False),
        ("Which code is behind this: Fjell Skerry mug, the smallest?", "FJ-MUG-TIN", False),
        ("Which code is behind this: Fjell Skerry mug? The smallest.", "FJ-MUG-TIN", False),
        ("Which code is behind this: Fjell Skerry mug in tin?", "FJ-MUG-TIN", False),
        ("Which is like FJ-MUG-TIN: Fjell Skerry mug?", "FJ-MUG-ENAMEL", False),
    ],
)
def test_of_several_that_the_request_describes_alike_none_is_picked(
    question: str, answer: str, is_a_pick: bool
) -> None:
    assert ("picks one" in picked(question, answer)) is is_a_pick


def test_who_asks_which_is_meant_picks_none() -> None:
    assert picked("Which code is behind this: Fjell Skerry mug?", "FJ-MUG-TIN, or another?", CLARIFICATION) == ""


def test_where_no_products_are_described_a_code_is_no_pick() -> None:
    assert picked("Who else is `clerk`?", "Whoever packs FJ-MUG-TIN.") == ""
