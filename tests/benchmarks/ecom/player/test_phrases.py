"""How conditions and formats are understood."""

import pytest

from benchmarks.ecom.player.product_skills import condition, in_format


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
