"""Arithmetic that an answer spells out is done again; everything else is left alone."""

import pytest

from gates.arithmetic import spelled_results
from gates.evidence import Evidence
from gates.judging import judge
from gates.submission import Case
from tests.gates.sample_trials import Submission, fault


@pytest.mark.parametrize(
    ("answer", "is_right"),
    [
        ("4 × 1.240,00 EUR = 4.960,00 EUR", True),
        ("12 + 7 + 4 = 23", True),
        ("12 + 7 + 4 = 24", False),
        ("$5 + $6 = $11", True),
        ("10 / 3 = 3.33", True),
        ("10 / 3 = 3.34", False),
        ("About 5.3 %: (13.1 − 2.8) × 0.516 = 5.31.", True),
        ("(13.1 − 2.8) × 0.516 = 5.41", False),
        ("1,240 × 5 % = 62", True),
        ("1,500 - 500 = 1,000", True),
        ("801.5 of 5,204.3 MWh, i.e. 15.4 % of all", True),
        ("801.5 of 5,204.3 MWh, i.e. 18.2 % of all", False),
        ("12 of 80 (15 %)", True),
        ("12 of 80 (16 %)", False),
        ("T03: from 98.8 % to 90.4 %, a loss of 8.4 points", True),
        ("T03: from 98.8 % to 90.4 %, a loss of 9.4 points", False),
        ("from 200 to 150 EUR, a drop of 25 %", True),
    ],
)
def test_what_is_spelled_out_is_done_again(answer: str, is_right: bool) -> None:
    assert [right for _, right, _ in spelled_results(answer)] == [is_right]
    found = fault(judge(Submission(answer=answer, outcome="OUTCOME_OK"), Evidence(), Case("How much?")), "6/arithmetic")
    assert (found == "") is is_right


@pytest.mark.parametrize(
    "answer",
    [
        "2x + 3 = 11",
        "3 × 20 min = 1 h",
        "x=3, y=4",
        "a: 3 = 4",
        "2026-04-18 - 14 = 04",
        "pages 3-5 = part 2",
        "1 / 0 = 7",
        "12 of 80 kg and 15 % of the rest",
        "from 3 to 5, then 9",
        "```\n1 + 1 = 3\n```",
        "+" * 5_000 + "=" * 5_000,
        "1+" * 3_000 + "1 = 4",
        "(" * 3_000 + "1 + 1" + ")" * 3_000 + " = 5",
    ],
)
def test_what_is_no_arithmetic_is_left_alone(answer: str) -> None:
    assert list(spelled_results(answer)) == []
