"""Receipts are held against the records of a small shop: what its branch has, and what it all costs today."""

from __future__ import annotations

import pytest

from tests.benchmarks.shop.computed.expected_answers import asked
from tests.benchmarks.shop.computed.expected_deeds import Changes
from tests.benchmarks.shop.computed.small_shop import STORE, TENT


@pytest.mark.parametrize(
    ("text", "records", "right"),
    [
        ("Kade Gent North\n4 Fjell Tarn tent 90.00 360.00\n", {}, "AYE"),
        ("Shop: Kade Gent N0rth\n5 Fjell Tarn tent 90.00 450.00\n", {}, "NAY"),
        ("Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\n9 Fjel Skerry mug 10.00 90.00\n", {}, "AYE"),
        ("Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\n10 Fjell Skerry mug 10.00 90.00\n", {}, "NAY"),
        ("Kade Gent North\n1 Fjell Knots course 20.00 20.00\n", {}, "NAY"),
        ("Kade Gent North\nl Tarn tent 90.00 90.00\n", {TENT: {"name": "Tarn tent"}}, "AYE"),
        ("Kade Gent North\n1 Fjell 90.00 90.00\n Tarn tent\n", {}, "AYE"),
        ("Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\n", {TENT: {"name": "Tarn tent"}}, "AYE"),
    ],
)
def test_a_receipts_lines_can_be_bought_again_if_the_branch_has_them(text: str, records: Changes, right: str) -> None:
    question = "Can I buy what is on the receipt again?"
    found = asked(question, records=records, documents={"/uploads/receipt_1.txt": text})
    assert {"/uploads/receipt_1.txt", STORE} < found.cited
    assert found.states(right)
    assert not found.states({"AYE": "NAY", "NAY": "AYE"}[right])


@pytest.mark.parametrize(
    ("limit", "price", "right"),
    [
        ("0.00", 9_000, "AYE"),
        ("0.99", 9_100, "NAY"),
        ("1.00", 9_100, "AYE"),
        ("1.00", 8_900, "AYE"),
        ("0.99", 8_900, "NAY"),
    ],
)
def test_a_receipts_subtotal_is_compared_with_todays_prices(limit: str, price: int, right: str) -> None:
    text = "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\nSubtotal EUR 90.00\n"
    question = f"If I bought what is on the receipt again, would the difference be at most EUR {limit}?"
    found = asked(question, records={TENT: {"price_cents": price}}, documents={"/uploads/receipt_1.txt": text})
    assert found.cited == {"/uploads/receipt_1.txt", STORE, TENT}
    assert found.states(right)
    assert not found.states({"AYE": "NAY", "NAY": "AYE"}[right])


@pytest.mark.parametrize(
    "text",
    [
        "Nowhere\n1 Fjell Tarn tent 90.00 90.00\nSubtotal 90.00\n",
        "Kade Gent North\nKade Gent South\n1 Fjell Tarn tent 90.00 90.00\nSubtotal 90.00\n",
        "Kade Gent North\nSubtotal 90.00\n",
        "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\n2 Fjell Tarn tent 90.00 180.00\nSubtotal 90.00\n",
        "Kade Gent North\n1 Fjell kayak 90.00 90.00\nSubtotal 90.00\n",
        "Kade Gent North\n1 Fjll Tarn ten 90.00 90.00\nSubtotal 90.00\n",
        "Kade Gent North\n1 Fjell Tarn tentx 90.00 90.00\nSubtotal 90.00\n",
        "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\n",
        "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\nSubtotal 90.00\nSubtotal 91.00\n",
    ],
)
def test_a_receipt_that_leaves_a_doubt_is_not_computed(text: str) -> None:
    question = "If I bought what is on the receipt again, would the difference be at most EUR 1.00?"
    assert asked(question, documents={"/uploads/receipt_1.txt": text}) is None
    if text.count("Subtotal") != 1:
        two = question.replace("EUR 1.00", "EUR 1.00, or EUR 2.00")
        assert asked(two, documents={"/uploads/receipt_1.txt": text}) is None


def test_a_question_about_a_receipt_names_one_limit_and_asks_for_its_lines_again() -> None:
    text = {"/uploads/receipt_1.txt": "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\nSubtotal EUR 90.00\n"}
    again = "If I bought what is on the receipt again, would the difference be at most EUR 1.00, or EUR 2.00?"
    for question in (again, "Which tent is on the receipt?", "If I bought the tent again, is it at most EUR 1.00?"):
        found = asked(question, documents=text)
        assert found is None or found.states is None


UPLOAD = "/uploads/receipt_1.txt"
SLIP = "Kade Gent North\n1 Fjell Tarn tent 90.00 90.00\n"
OFFERS = "Whether hot or cold, yes or no: answer `AYE` or `NAY`."


@pytest.mark.parametrize(
    ("question", "is_computed"),
    [
        (f"All of {UPLOAD} still there today, hot or cold", True),
        ("All of the newest upload still there today, hot or cold", True),
        ("All of it still there today, hot or cold", False),
        (f"All of {UPLOAD} still there, hot or cold", False),
        (f"All of {UPLOAD} still there today", False),
        (f"All of {UPLOAD} and FJ-MUG-ENAMEL still there today, hot or cold", False),
        (f"All of {UPLOAD} and of basket-1 still there today, hot or cold", False),
        ("All of /docs/refunds.md still there today, hot or cold", False),
        ("All of /uploads/note.txt still there today, hot or cold", False),
    ],
)
def test_a_receipt_is_asked_about_by_its_path_or_folder_and_the_form_of_the_answer(
    question: str, is_computed: bool
) -> None:
    documents = {UPLOAD: SLIP, "/uploads/note.txt": "Kade Gent North\nHello.\n"}
    found = asked(question, documents=documents, rules=OFFERS)
    assert (found is not None and UPLOAD in found.cited) is is_computed


@pytest.mark.parametrize(
    ("further", "right"),
    [("Goods 90.00\n", "AYE"), ("Goods 90.00 in all\nVAT 18.90\n", "AYE"), ("Goods 91.00\n", None), ("", None)],
)
def test_what_a_receipts_lines_come_to_counts_if_it_stands_there_as_well(further: str, right: str | None) -> None:
    question = "If I bought what is on the receipt again, would the difference be at most EUR 1.00?"
    found = asked(question, records={TENT: {"price_cents": 9_100}}, documents={UPLOAD: SLIP + further})
    assert (found is None) is (right is None)
    assert found is None or (found.states("AYE"), found.states("NAY")) == (True, False)
