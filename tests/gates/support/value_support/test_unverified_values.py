"""A value of an answer is unverified if no file that was read states it.

The file says "470 EUR", and the answer "It costs 470 USD." The file states something similar, so
the user is warned: the 470 is marked `unverified`.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.support_texts import unverified_in
from tests.gates.support.value_support.value_marks import marks_of


@pytest.mark.parametrize(
    ("answer", "text", "unverified"),
    [
        pytest.param("It costs 470 USD.", "470 EUR\n", ["470"], id="another currency"),
        pytest.param("It costs 471 EUR.", "470 EUR\n", ["471"], id="another amount"),
        pytest.param(
            "It costs 20.00 EUR.", "until 20:00\n", ["20.00"], id="20:00 is a time"
        ),
        pytest.param(
            "1. See L-09.", "L-01\n", ["L-09"], id="an id, and not the item's number"
        ),
        pytest.param(
            "\u201cA loan runs 22 days\u201d",
            "A loan runs 21 days.\n",
            ["A loan runs 22 days"],
            id="a quotation with another number",
        ),
        pytest.param(
            "300 EUR and 470 EUR are 770 EUR.",
            "300 EUR\n470 EUR\n",
            ["770"],
            id="a sum that no script computed",
        ),
    ],
)
def test_a_value_that_no_file_states_is_unverified(
    answer: str, text: str, unverified: list[str]
) -> None:
    marks = marks_of(answer, {"/a.txt": text})

    assert unverified_in(marks) == unverified
