"""An answer may work out a percentage itself, from numbers that files state.

If a file states 300 and 470, "300 of 470 EUR (63.83 %)" has no unverified value, although no file
states 63.83 %: it is 300 / 470, and both numbers stand before it in the sentence.
"""

from __future__ import annotations

from controlplane.gates.support.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker

FEES = Source("/fees.txt", "L-01: 300 EUR\nL-02: 470 EUR\n")


def test_a_percentage_after_the_numbers_it_is_worked_out_from_is_supported() -> None:
    marker = ValueMarker([FEES])

    marks = marker.marks("300 of 470 EUR (63.83 %)")

    assert unverified_in(marks) == []


def test_a_percentage_does_not_hide_the_numbers_it_is_worked_out_from() -> None:
    """An earlier 63.83 %, which stands alone, leaves 300 and 470 supported.

    Either support of the percentage itself is right, since only its second place has 300 and 470.
    """
    marker = ValueMarker([FEES])

    marks = marker.marks("L-01 is 63.83 % cheaper than... 300 of 470 EUR (63.83 %)")

    assert "300" not in unverified_in(marks)
    assert "470" not in unverified_in(marks)
    assert set(unverified_in(marks)) <= {"63.83"}


def test_a_sum_in_kilograms_supports_its_rounded_weight_but_no_percentage() -> None:
    """The sum 25.9 kg supports 26 kg, but not 26 %."""
    marker = ValueMarker([Source("/parcels.md", "It is 13.9 kg, and 12.0 kg.\n")])

    *_, weight, percentage = marker.marks(
        "13.9 kg + 12.0 kg = 25.9 kg: about 26 kg, and not 26 %."
    )

    assert weight.value.unit == "kg"
    assert weight.support == "computed"
    assert percentage.value.unit == "%"
    assert percentage.support == "unverified"
