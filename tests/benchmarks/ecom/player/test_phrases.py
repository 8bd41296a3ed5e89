"""How formats are understood."""

import pytest

from benchmarks.ecom.player.product_skills import in_format


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
