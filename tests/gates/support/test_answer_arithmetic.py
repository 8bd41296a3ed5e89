"""Values that an answer works out itself, such as 770 in "Fees: 300 + 470 = 770 EUR".

If files state both operands, the result is supported, too, and need not be computed by a script.
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources.sources import Source
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


def test_a_percentage_beside_its_operands_is_supported() -> None:
    marker = ValueMarker([Source("/a.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")])

    marks = marker.marks("300 of 470 EUR (63.83 %)")

    assert unverified_in(marks) == []


def test_the_operands_of_a_percentage_are_found_if_it_is_also_stated_without_them() -> (
    None
):
    """The first 63.83 % may be marked as unverified or not."""
    marker = ValueMarker([Source("/a.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")])

    marks = marker.marks("L-01 is 63.83 % cheaper than... 300 of 470 EUR (63.83 %)")

    assert set(unverified_in(marks)) <= {"63.83"}


def test_arithmetic_with_an_unsupported_operand_computes_nothing() -> None:
    """No file states 471, so the sum is not supported either."""
    marker = ValueMarker([Source("/a.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")])

    marks = marker.marks("Fees: 300 + 471 = 771 EUR")

    assert unverified_in(marks) == ["471", "771"]


def test_a_sum_in_kilograms_supports_its_rounded_weight_but_no_percentage() -> None:
    """The same number with another unit, 26 %, does not come from the sum."""
    marker = ValueMarker([Source("/a.md", "It is 13.9 kg, and 12.0 kg.\n")])

    *_, weight, percentage = marker.marks(
        "13.9 kg + 12.0 kg = 25.9 kg: about 26 kg, and not 26 %."
    )

    assert weight.value.unit == "kg"
    assert weight.support == "computed"
    assert percentage.value.unit == "%"
    assert percentage.support == "unverified"
