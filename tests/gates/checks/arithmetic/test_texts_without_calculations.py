"""Rule `6/arithmetic` ignores signs and numbers that only look like a calculation.

The rule computes each calculation of an answer again, such as "12 + 7 = 19", and sends the answer
back if its result is wrong. "pages 3-5 = part 2" has none. If the rule computed 3 - 5, it would
send a right answer back.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.arithmetic.spelled_out_calculations import calculations_in


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("2x + 3 = 11", id="equation with a variable"),
        pytest.param("x=3, y=4", id="values of variables"),
        pytest.param("3 × 20 min = 1 h", id="different units"),
        pytest.param("a: 3 = 4", id="no operator"),
        pytest.param("2026-04-18 - 14 = 04", id="date"),
        pytest.param("pages 3-5 = part 2", id="range of pages"),
        pytest.param("1 / 0 = 7", id="division by zero"),
        pytest.param("12 of 80 kg and 15 % of the rest", id="share of something else"),
        pytest.param("from 3 to 5, then 9", id="no difference stated"),
        pytest.param("```\n1 + 1 = 3\n```", id="code block"),
        pytest.param("+" * 5_000 + "=" * 5_000, id="thousands of operators"),
        pytest.param("1+" * 3_000 + "1 = 4", id="thousands of terms"),
        pytest.param(
            "(" * 3_000 + "1 + 1" + ")" * 3_000 + " = 5", id="thousands of brackets"
        ),
    ],
)
def test_a_text_that_only_looks_like_a_calculation_is_ignored(answer: str) -> None:
    assert calculations_in(answer) == []
