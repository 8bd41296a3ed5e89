"""Rule `6/arithmetic`: a calculation that an answer spells out has the right result.

The rule computes each `12 + 7 = 19`, `12 of 80 (15 %)` or `from 200 to 150, a drop of 25 %` of an
answer again, and objects if the answer has another result.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.arithmetic.spelled_out_calculations import (
    calculations_in,
    objection_to_arithmetic,
)


@pytest.mark.parametrize(
    "answer",
    [
        "4 × 1.240,00 EUR = 4.960,00 EUR",
        "12 + 7 + 4 = 23",
        "$5 + $6 = $11",
        "10 / 3 = 3.33",
        "About 5.3 %: (13.1 − 2.8) × 0.516 = 5.31.",
        "1,240 × 5 % = 62",
        "1,500 - 500 = 1,000",
        "801.5 of 5,204.3 MWh, i.e. 15.4 % of all",
        "12 of 80 (15 %)",
        "T03: from 98.8 % to 90.4 %, a loss of 8.4 points",
        "from 200 to 150 EUR, a drop of 25 %",
        "from 200 to 250, an increase of 25 %",
        "EUR 77.56 (72.50 / 0.9347 = 77.56)",
        "Coût de 6,40 € : 3 + 5 = 8 pages",
    ],
)
def test_a_calculation_with_the_right_result_passes(answer: str) -> None:
    """Results may be rounded: 10 / 3 is 3.33, and 801.5 of 5,204.3 is 15.4 %."""
    calculation, *_ = calculations_in(answer)

    assert calculation.is_right
    assert objection_to_arithmetic(answer) == ""


@pytest.mark.parametrize(
    "answer",
    [
        "12 + 7 + 4 = 24",
        "10 / 3 = 3.34",
        "(13.1 − 2.8) × 0.516 = 5.41",
        "801.5 of 5,204.3 MWh, i.e. 18.2 % of all",
        "12 of 80 (16 %)",
        "T03: from 98.8 % to 90.4 %, a loss of 9.4 points",
        "EUR 67.77 (72.50 / 0.9347 = 67.77)",
    ],
)
def test_a_calculation_with_a_wrong_result_is_objected_to(answer: str) -> None:
    """The right results are 23, 3.33, 5.31, 15.4 %, 15 %, 8.4 points and 77.56."""
    calculation, *_ = calculations_in(answer)

    assert not calculation.is_right
    assert objection_to_arithmetic(answer) != ""
