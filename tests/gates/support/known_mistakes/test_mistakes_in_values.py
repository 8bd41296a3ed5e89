"""Answers with one wrong value each: exactly this value is marked as unverified.

A mark says where a value of an answer was found: in a file that was read, or nowhere
("unverified"). Each answer is scripted, with a mistake that its name tells: `01-invented-figure`
claims 23 complaints, which no file states. The answers are not part of the project.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripted_answers import SHARED_QUESTIONS, unverified_in_answer


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
@pytest.mark.parametrize(
    ("name", "wrong_value"),
    [
        ("01-invented-figure", "23"),
        ("02-wrong-unit", "47,315"),  # USD; the file says EUR
        ("02b-wrong-unit-k", "47,315"),  # thousand EUR; the file says EUR
        ("02d-wrong-unit-notice", "2"),  # 2 months; the file says 2 weeks
        (
            "04-stitched-quote",
            "The server room may be entered by Otto Lindgren with the consent of Priya Raman.",
        ),
        ("06-wrong-rounding", "48"),  # thousand; the file says 47315
        ("06b-wrong-rounding2", "47,400"),
        ("06c-right-rounding", "47,300"),  # the answer does not say that it is rounded
        ("12-wrong-sum-computed", "92,375"),
        ("13-wrong-percent", "4.3"),
        ("14-small-count", "5"),  # with a unit; a bare count up to twelve is not marked
        ("15-wrong-code-place", "TIMEOUT = 45"),
        ("16-hardcoded-print", "231"),
    ],
)
def test_a_mistake_in_a_value_makes_this_value_unverified(
    name: str, wrong_value: str
) -> None:
    assert unverified_in_answer(name) == [wrong_value]
