"""Rule `6/arithmetic`: a calculation that an answer spells out has the right result.

The rule computes each `12 + 7 = 19`, `12 of 80 (15 %)` or `from 200 to 150, a drop of 25 %` of an
answer again, and objects if the answer has another result. Rounded results are right.
"""

from __future__ import annotations

import pytest

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging.conclusion import judge
from controlplane.gates.submission import Case, Submission
from controlplane.gates.support.answer_values import answer_values
from controlplane.gates.support.arithmetic.answer_arithmetic import shown_results
from controlplane.gates.support.arithmetic.shown_results import ShownResult
from tests.gates.judged_scratchpads import objection_of


def calculations_in(answer: str) -> list[ShownResult]:
    """Return the calculations that an answer spells out, each with `is_right`.

    "12 + 7 = 19, and 12 of 80 (16 %)" has two, of which the second is wrong.
    """
    return list(shown_results(answer, answer_values(answer)))


def objection_to_arithmetic(answer: str) -> str:
    """Return what the rule objects to; an empty string if it does not."""
    submission = Submission(answer=answer, outcome="OUTCOME_OK")
    judgement = judge(submission, Evidence(), Case("How much?"))
    return objection_of(judgement, "6/arithmetic")


class TestCalculationsInAnswers:
    """A calculation that an answer spells out is computed again.

    "12 + 7 + 4 = 24" has a wrong result, and the rule objects. `calculations_in` returns what it
    found in an answer, each with `is_right`.
    """

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
    def test_a_calculation_with_the_right_result_passes(self, answer: str) -> None:
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
    def test_a_calculation_with_a_wrong_result_is_objected_to(
        self, answer: str
    ) -> None:
        """The right results are 23, 3.33, 5.31, 15.4 %, 15 %, 8.4 points and 77.56."""
        calculation, *_ = calculations_in(answer)

        assert not calculation.is_right
        assert objection_to_arithmetic(answer) != ""


class TestTextsThatAreNotCalculations:
    """Signs and numbers beside each other need not be a calculation.

    A rule that took "pages 3-5 = part 2" for a calculation would send a right answer back.
    `calculations_in` finds none in these texts, however long they are.
    """

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
            pytest.param(
                "12 of 80 kg and 15 % of the rest", id="share of something else"
            ),
            pytest.param("from 3 to 5, then 9", id="no difference stated"),
            pytest.param("```\n1 + 1 = 3\n```", id="code block"),
            pytest.param("+" * 5_000 + "=" * 5_000, id="thousands of operators"),
            pytest.param("1+" * 3_000 + "1 = 4", id="thousands of terms"),
            pytest.param(
                "(" * 3_000 + "1 + 1" + ")" * 3_000 + " = 5", id="thousands of brackets"
            ),
        ],
    )
    def test_a_text_that_only_looks_like_a_calculation_is_ignored(
        self, answer: str
    ) -> None:
        assert calculations_in(answer) == []
