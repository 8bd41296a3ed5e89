"""Answers with one mistake each that no value shows: the marks of values miss it.

A mark says where a value of an answer was found: in a file that was read, or nowhere
("unverified"). It compares values with texts, and not what sentences say of them: `03-wrong-row`
has the amount of another row. So none is unverified. The answers are scripted, and not part of the
project.
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
def test_a_mistake_that_no_value_shows_makes_none_unverified(name: str) -> None:
    assert unverified_in_answer(name) == []
