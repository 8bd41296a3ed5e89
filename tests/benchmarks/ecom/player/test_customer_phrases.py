"""How phrases, receipts and formats are understood."""

import pytest

from benchmarks.ecom.player.answer_formats import as_date, in_format
from benchmarks.ecom.player.customer_phrases import fit_score, misfits
from benchmarks.ecom.player.knowledge import Record
from benchmarks.ecom.player.skills.company_skill import days_from_now
from benchmarks.ecom.player.skills.receipt_skill import bought
from benchmarks.ecom.player.skills.stock_skill import condition

KETTLES = {
    "plain": Record("/w/1", {"sku": "K-1", "name": "Ostra Kettle 2 l", "properties": {"whistle": False, "cups": 4}}),
    "whistling": Record("/w/2", {"sku": "K-2", "name": "Ostra Kettle 2 l", "properties": {"whistle": True, "cups": 4}}),
    "big": Record("/w/3", {"sku": "K-3", "name": "Ostra Kettle 5 l", "properties": {"whistle": True, "cups": 9}}),
}


@pytest.mark.parametrize(
    ("phrase", "meant"),
    [
        ("Ostra kettle without whistle", {"plain"}),
        ("Ostra kettle 2 l with whistle", {"whistling"}),
        ("Ostra kettle 2 l", {"plain", "whistling"}),
        ("the five l kettle by Ostra", {"big"}),
    ],
)
def test_the_product_that_fits_best_is_meant(phrase: str, meant: set[str]) -> None:
    scores = {name: fit_score(phrase, each) for name, each in KETTLES.items()}
    assert {name for name, score in scores.items() if score == max(scores.values())} == meant


def test_words_that_do_not_hold_are_named() -> None:
    assert misfits("copper Ostra kettle without whistle", KETTLES["plain"]) == ["copper"]
    assert misfits("Ostra kettle without whistle", KETTLES["big"]) == ["without whistle"]


@pytest.mark.parametrize(
    ("question", "on_hand", "reserved", "due", "holds"),
    [
        ("have at least 3 units available today", 5, 2, [], True),
        ("have at least 3 units available today", 5, 3, [(4, 1)], False),
        ("have not a single unit available today", 2, 3, [], True),
        ("have fewer than 3 units available today", 2, 0, [], True),
        ("have 3 units physically on hand: at least 3", 3, 3, [], True),
        ("have at least 3 units physically on hand and yet fewer than 3 available today", 5, 2, [], False),
        ("fewer than 4 available, but reach 4 with what is due within 5 days", 2, 0, [(2, 5)], True),
        ("fewer than 4 available, but reach 4 with what is due within 5 days", 2, 0, [(2, 6)], False),
        ("fewer than 4 available, but reach 4 with what is due within 5 days", 4, 0, [(2, 5)], False),
    ],
)
def test_a_condition_on_stock_is_read_from_the_question(
    question: str, on_hand: int, reserved: int, due: list[tuple[int, int]], holds: bool
) -> None:
    incoming = [{"quantity": quantity, "arrives_in_days": days} for quantity, days in due]
    row = Record("/s/1", {"sku": "K-1", "on_hand": on_hand, "reserved": reserved, "incoming": incoming})
    assert condition(question)(row) is holds


def test_a_receipt_is_read_item_by_item_over_broken_lines_and_scratches() -> None:
    slip = """SHOP
Qty  Item                             Each      Line
[1]  2  Ostra Kett1e      10.00     20.O0
        2 l
 . . . . . .
     SKU / clerk note: K-OST-2L
[2]  I  Brim & Co Cup      3.10      3.1O
     SKU / clerk note: K-CUP
Manual subtotal excl. VAT   EUR 23.10
"""
    assert list(bought(slip)) == [(2, "Ostra Kett1e2 l", "K-OST-2L"), (1, "Brim & Co Cup", "K-CUP")]


@pytest.mark.parametrize(
    ("instruction", "written"),
    [
        ('Answer exactly in the format "%d" (without the quotes).', "4"),
        ("Answer in the format <COUNT:%d>.", "<COUNT:4>"),
        ("Answer exactly in the format count=%d.", "count=4"),
        ("Answer with the number only.", "4"),
    ],
)
def test_a_count_takes_the_form_that_was_asked_for(instruction: str, written: str) -> None:
    assert in_format(instruction, 4) == written


@pytest.mark.parametrize(
    ("instruction", "written"),
    [("as DD-MM-YYYY only", "04-03-2027"), ("as MM/DD/YYYY", "03/04/2027"), ("when?", "2027-03-04")],
)
def test_a_date_takes_the_form_that_was_asked_for(instruction: str, written: str) -> None:
    assert as_date(instruction, "2027-03-04") == written


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("the day after tomorrow", 2),
        ("tomorrow", 1),
        ("yesterday", -1),
        ("in a week", 7),
        ("in 10 days", 10),
        ("two weeks from now", 14),
        ("3 days ago", -3),
        ("today", 0),
    ],
)
def test_a_span_of_days_is_told_by_its_words(question: str, days: int) -> None:
    assert days_from_now(question) == days
