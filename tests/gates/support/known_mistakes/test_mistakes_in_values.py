"""Answers with one wrong value each: exactly this value is marked as unverified.

The answers are about a folder of files. A value is *unverified* if the files that the answer's
script reads do not state it, as 23 in `01-invented-figure`, in short:

    question     How many complaints were there?
    answer       There were 23 complaints.

The questions, files and answers are shared with other projects, and not part of this one. Without
them the tests are skipped.
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
        ("01-invented-figure", "23"),  # complaints, of which no file tells
        # A right number with another unit than in the file
        ("02-wrong-unit", "47,315"),  # USD; the file says EUR
        ("02b-wrong-unit-k", "47,315"),  # thousand EUR; the file says EUR
        ("02d-wrong-unit-notice", "2"),  # 2 months; the file says 2 weeks
        # A quotation that is put together from two sentences of the file
        (
            "04-stitched-quote",
            "The server room may be entered by Otto Lindgren with the consent of Priya Raman.",
        ),
        # A rounded number; the file says 47315
        ("06-wrong-rounding", "48"),  # thousand; 47 would be verified
        ("06b-wrong-rounding2", "47,400"),
        ("06c-right-rounding", "47,300"),  # right; only decimals may be rounded off
        # A number that the answer should have worked out
        ("12-wrong-sum-computed", "92,375"),  # the sum is 92,275
        ("13-wrong-percent", "4.3"),  # it is 3.4
        ("14-small-count", "5"),  # "5 years"; the file has rows of three
        # What stands in another form, or nowhere, in the files
        (
            "15-wrong-code-place",
            "TIMEOUT = 45",
        ),  # one file says 30, another timeout = 45
        ("16-hardcoded-print", "231"),  # the script prints 230+1
    ],
)
def test_a_mistake_in_a_value_makes_this_value_unverified(
    name: str, wrong_value: str
) -> None:
    assert unverified_in_answer(name) == [wrong_value]
