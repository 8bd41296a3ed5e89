"""A percentage that an answer works out itself is supported beside what it is worked out from.

If files state 300 and 470, "300 of 470 EUR (63.83 %)" has no unverified value, although no file
states 63.83 %.
"""

from __future__ import annotations

from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker


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
