"""No value of an answer is marked as unverified if the answer's mistake is not in a value.

A value, such as 47,315, is unverified if the files that the answer's script read do not state it.
What a sentence says of a value is not compared with the files, as in the answer `03-wrong-row`:

    question     How much revenue did the South make in 2025?
    file         2025,North,47315
    answer       The South made 47,315 EUR of revenue in 2025.

The mistake is the region, and 47,315 stands in the file. So no value is unverified.
"""

from __future__ import annotations

import pytest

from tests.gates.support.scripted_answers import SHARED_QUESTIONS, unverified_in_answer


@pytest.mark.skipif(
    not SHARED_QUESTIONS.exists(), reason="the shared questions are not here"
)
@pytest.mark.parametrize(
    "name",
    [
        # The file states the value of the answer, but of something else.
        "02c-wrong-unit-time",  # 90 ms; the file says 90, without a unit
        "03-wrong-row",
        "05-earlier-year",  # the revenue of 2024, as that of 2025
        "17-swapped",  # the revenue of the North as that of the South, and vice versa
        # The extension 4471 is right, but not the name of its owner.
        "07-wrong-name",  # the owner of another extension
        "07b-wrong-name-invented",  # a name that no file has
        # The script says that it has set a timeout to 60, and has not. 60 is in the question.
        "08-claims-edit",
        # The answer leaves out a condition, or says the contrary of what the file says.
        "09-omitted-condition",
        "11-negated",
        # The answer is right by the rules of 2023, which those of 2025 have replaced.
        "10-stale-version",  # the script read the old rules only
        "10b-stale-both-read",  # the script read both, and answered by the old ones
    ],
)
def test_an_answer_whose_mistake_is_in_no_value_has_no_unverified_value(
    name: str,
) -> None:
    assert unverified_in_answer(name) == []
