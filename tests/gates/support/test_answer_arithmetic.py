"""Values that an answer works out itself, such as 770 in "Fees: 300 + 470 = 770 EUR".

The files of a small library state the operands: loans of 300 and 470 EUR, of 2026-03-01 and
2026-05-09, and the hours from 09:30 to 20:00 (`LIBRARY_FILES`).
"""

from __future__ import annotations

import pytest

from controlplane.gates.support.sources.sources import Source
from controlplane.gates.support.support_texts import unverified_in
from controlplane.gates.support.value_support import ValueMarker
from tests.gates.support.marked_answers import marks_of


class TestArithmeticInAnswers:
    """An answer may spell out a sum instead of computing it by a script.

    In "Fees: 300 + 470 = 770 EUR", the files state both operands. So the result is supported,
    too. `unverified_in` returns the values of an answer that nothing supports, here none.
    """

    @pytest.mark.parametrize(
        "answer",
        [
            "Fees: 300 + 470 = 770 EUR",
            "770 EUR: 300 EUR for L-01 and 470 EUR for L-02",
            "From 2026-03-01 to 2026-05-09, 69 days.",
            "It opens at 09:30 and closes 630 minutes later, at 20:00.",
        ],
    )
    def test_arithmetic_in_the_answer_computes_its_result(self, answer: str) -> None:
        """The files state 300, 470, both dates and both times, and the question states 630. From
        these, each answer computes its result: 770, 69 or 20:00. So none of its values is
        unverified."""
        marks = marks_of(answer, question="How many minutes, 630?")

        assert unverified_in(marks) == []

    def test_the_operands_of_a_percentage_are_found(self) -> None:
        """The answer computes 63.83 % from 300 and 470, which the files state. It also has the
        percentage once before, without operands. There it may be marked as unverified or not."""
        answer = "L-01 is 63.83 % cheaper than... 300 of 470 EUR (63.83 %)"

        marks = marks_of(answer)

        assert set(unverified_in(marks)) <= {"63.83"}

    def test_arithmetic_with_an_unsupported_operand_computes_nothing(self) -> None:
        """No file states 471, so the sum is not supported either."""
        marks = marks_of("Fees: 300 + 471 = 771 EUR")

        assert unverified_in(marks) == ["471", "771"]

    def test_a_sum_in_kilograms_supports_its_rounded_weight_but_no_percentage(
        self,
    ) -> None:
        """The sum of 13.9 kg and 12.0 kg is rounded to 26 kg. The same number with another unit,
        "26 %", does not come from the sum."""
        marker = ValueMarker([Source("/a.md", "It is 13.9 kg, and 12.0 kg.\n")])
        answer = "13.9 kg + 12.0 kg = 25.9 kg: about 26 kg, and not 26 %."

        marks = marker.marks(answer)

        weight_mark, percentage_mark = marks[-2:]
        assert weight_mark.value.unit == "kg"
        assert weight_mark.support == "computed"
        assert percentage_mark.value.unit == "%"
        assert percentage_mark.support == "unverified"
