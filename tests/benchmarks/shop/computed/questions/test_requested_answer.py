"""Which question a request asks is told by the form of its answer and by what it names."""

from __future__ import annotations

import pytest

from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.small_shop import COURSE, MUG, STAFF, STORE, STORE_2, TENT

LINES = "Return only the names, one per line, sorted alphabetically."
RECEIPT = {"/uploads/receipt_1.txt": "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\nSubtotal EUR 90.00\n"}
LONG = ", and of all that is in it" * 7
DAY = "2031-05-05"


@pytest.mark.parametrize(
    ("question", "cited", "right"),
    [
        (
            "With the header SKU,2031-05-04, create the inventory export /exports/a.csv of `fam-fjell` at North.",
            {STORE, TENT, MUG, COURSE},
            None,
        ),
        ("What is the date tomorrow in the shop called 'North'? Answer as YYYY-MM-DD only.", set(), DAY),
        ("What is the date tomorrow, dear friends? Answer as YYYY-MM-DD only.", set(), DAY),
        ("Which day is tomorrow, dear friends? Answer as YYYY-MM-DD only.", set(), DAY),
        ("How many products of the Fjell Tarn line cost less than EUR 90.01? Answer with a number only.", {TENT}, "1"),
        ("What is the `price_cents` of the Fjell Tarn tent? Answer with the number only.", {TENT}, "9000"),
        ("What is the `price_cents` of FJ-TNT-TARN? Answer with the number only.", {TENT}, "9000"),
        (f"Name each open branch in the city of the North shop. {LINES}", {STORE, STORE_2}, "Kade Gent North"),
        ("Which branches are open in the city of the North shop? At most 9.", {STORE, STORE_2}, "Kade Gent North"),
        (
            "Is everything on the receipt in stock today? Answer yes or no.",
            {STORE, TENT, "/uploads/receipt_1.txt"},
            "AYE",
        ),
    ],
)
def test_a_question_is_told_by_the_form_of_its_answer_and_by_what_it_names(
    question: str, cited: set[str], right: str | None
) -> None:
    found = asked(question, STAFF, documents=RECEIPT)
    assert found.cited == cited
    assert found.states("Nothing.") is False
    assert right is None or found.states(right)


@pytest.mark.parametrize(
    "question",
    [
        "Do you have 5 of the Fjell Tarn tent with `persons` = `2`? No more.",
        f"Name each branch in the city of the North shop. {LINES}",
        f"Name each open shop in the city of the North shop. {LINES}",
        "Count `clerk` across all shops (%d).",
        "Count `clerk` across all shops.",
        "Is everything on the receipt in stock? Answer yes or no.",
        "Is everything on the receipt in stock today, and basket-1? Answer yes or no.",
        "Is everything on the receipt in stock today, FJ-MUG-ENAMEL too? Answer yes or no.",
        "What is on the receipt today?",
        "Which day did we order, yesterday? Answer as YYYY-MM-DD only.",
        f"Which day is tomorrow{LONG}? Answer as YYYY-MM-DD only.",
        "Which day is tomorrow? In the form <N:%d>. As YYYY-MM-DD only.",
        "Of FJ-MUG-ENAMEL and FJ-TNT-TARN, how many have at least 1 unit available today in the shop called North? "
        "The file says `%d`. Answer yes or no.",
    ],
)
def test_a_question_that_only_looks_like_another_is_not_computed_as_that(question: str) -> None:
    found = asked(question, documents=RECEIPT)
    assert found is None or found.states is None


@pytest.mark.parametrize(("chars", "is_asked"), [(199, True), (200, False)])
def test_a_day_is_asked_for_in_less_than_200_characters_beside_the_form(chars: int, is_asked: bool) -> None:
    question = "Which day is tomorrow, dear friend".ljust(chars - 3, "s") + "?"
    found = asked(f"{question} Answer as YYYY-MM-DD only.")
    assert (found is not None and found.states is not None and found.states(DAY)) is is_asked
