"""Answers with one known mistake each: the marks of values show some mistakes, and miss others.

A mark says where a value of an answer was found: in a file that was read, or nowhere ("unverified").
Each answer is scripted, with one mistake, which its name tells: `01-invented-figure` claims 23
complaints, which no file states. The answers are not part of the project.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripted_answers import SHARED_QUESTIONS, unverified_in_answer

needs_shared_questions = pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)


class TestMistakesInValues:
    """Each answer has one mistake in a value, which its name tells.

    The values beside it are found in what its script reads. So exactly the wrong one is
    unverified, and the user sees it.
    """

    @needs_shared_questions
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
            (
                "06c-right-rounding",
                "47,300",
            ),  # the answer does not say that it is rounded
            ("12-wrong-sum-computed", "92,375"),
            ("13-wrong-percent", "4.3"),
            (
                "14-small-count",
                "5",
            ),  # with a unit; a bare count up to twelve is not marked
            ("15-wrong-code-place", "TIMEOUT = 45"),
            ("16-hardcoded-print", "231"),
        ],
    )
    def test_a_mistake_in_a_value_makes_this_value_unverified(
        self, name: str, wrong_value: str
    ) -> None:
        """Each answer has one mistake, which its name tells. The values beside it are found in what
        its script reads."""
        assert unverified_in_answer(name) == [wrong_value]


class TestMistakesOutsideOfValues:
    """Marks compare values with texts, and not what sentences say of them.

    Each answer has a mistake that its name tells. Every value of it stands in a file that was
    read, or in the question. So none is unverified, and the mistake is not seen.
    """

    @needs_shared_questions
    @pytest.mark.parametrize(
        "name",
        [
            # The file states the value, for another unit, row or year. The footnote shows the row.
            "02c-wrong-unit-time",  # the file states no unit that would contradict the answer's
            "03-wrong-row",
            "05-earlier-year",
            "17-swapped",
            # Names are not values.
            "07-wrong-name",
            "07b-wrong-name-invented",
            # The question states the value, 60. Below the answer stands `changed: nothing`.
            "08-claims-edit",
            # No value shows what was left out, denied, or replaced later.
            "09-omitted-condition",
            "10-stale-version",
            "10b-stale-both-read",
            "11-negated",
        ],
    )
    def test_a_mistake_that_no_value_shows_makes_none_unverified(
        self, name: str
    ) -> None:
        """Marks compare values with what was read, and not what sentences say of them."""
        assert unverified_in_answer(name) == []
