"""A value that an answer works out itself is supported if files state what it is worked out from.

If the files state 300 and 470, "Fees: 300 + 470 = 770 EUR" has no unverified value, although no
file states 770 and no script has computed it.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        pytest.param(
            "L-01: 300 EUR\nL-02: 470 EUR\n", "Fees: 300 + 470 = 770 EUR", id="a sum"
        ),
        pytest.param(
            "L-01: 300 EUR\nL-02: 470 EUR\n",
            "770 EUR: 300 EUR for L-01 and 470 EUR for L-02",
            id="a sum before its parts",
        ),
        pytest.param(
            "L-01: 2026-03-01\nL-02: 2026-05-09\n",
            "From 2026-03-01 to 2026-05-09, 69 days.",
            id="days between two dates",
        ),
    ],
)
def test_the_result_of_values_that_files_state_is_supported(
    text: str, answer: str
) -> None:
    marker = ValueMarker([Source("/a.txt", text)])

    assert unverified_in(marker.marks(answer)) == []


def test_a_time_is_computed_from_another_one_and_the_minutes_of_the_question() -> None:
    """630 minutes are ten and a half hours."""
    marker = ValueMarker(
        [Source("/a.txt", "It opens at 09:30.\n")], "How many minutes, 630?"
    )

    marks = marker.marks("It opens at 09:30 and closes 630 minutes later, at 20:00.")

    assert unverified_in(marks) == []


def test_arithmetic_with_an_unsupported_operand_computes_nothing() -> None:
    """No file states 471, so the sum is not supported either."""
    marker = ValueMarker([Source("/a.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")])

    marks = marker.marks("Fees: 300 + 471 = 771 EUR")

    assert unverified_in(marks) == ["471", "771"]
