"""How phrases, conditions and formats are understood."""

import pytest

from benchmarks.ecom.player.knowledge import Record
from benchmarks.ecom.player.phrases import fit_score, in_format, misfits
from benchmarks.ecom.player.product_skills import condition

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
    ("question", "on_hand", "available", "within", "holds"),
    [
        ("have at least 3 units available today", 5, 3, 3, True),
        ("have at least 3 units available today", 5, 2, 6, False),
        ("have not a single unit available today", 2, 0, 0, True),
        ("have fewer than 3 units available today", 2, 2, 2, True),
        ("have 3 units physically on hand: at least 3", 3, 0, 0, True),
        ("have at least 3 units physically on hand and yet fewer than 3 available today", 5, 3, 3, False),
        ("fewer than 4 available, but reach 4 with what is due within 5 days", 2, 2, 4, True),
        ("fewer than 4 available, but reach 4 with what is due within 5 days", 2, 2, 2, False),
        ("fewer than 4 available, but reach 4 with what is due within 5 days", 4, 4, 6, False),
    ],
)
def test_a_condition_on_stock_is_read_from_the_question(
    question: str, on_hand: int, available: int, within: int, holds: bool
) -> None:
    units = {"on_hand": on_hand, "available": available, "within": within}
    assert condition(question)(units) is holds


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
