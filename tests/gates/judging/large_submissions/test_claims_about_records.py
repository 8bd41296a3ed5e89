"""An answer with claims about 200 large records is compared with them in bounded work.

A claim is a sentence such as "item-0012 is closed.", which the shop's rule set compares with the
record `/proc/items/item-0012.json`. A hostile or careless script may submit thousands of them. To
compare only 200 claims with all 403 fields of 200 records would be 16 million comparisons, of
several lines of Python each.
"""

from __future__ import annotations

import pytest

from tests.gates.judging.large_submissions.records_with_many_fields import (
    lines_to_judge,
)

pytestmark = pytest.mark.second_tier

each_outcome = pytest.mark.parametrize(
    "outcome", ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY"]
)


@each_outcome
def test_a_sentence_about_each_of_200_records(outcome: str) -> None:
    sentences = [f"item-{number:04d} is closed." for number in range(200)]

    assert lines_to_judge(" ".join(sentences), outcome) < 20_000_000


@each_outcome
def test_one_sentence_about_200_records_and_200_unknown_items(outcome: str) -> None:
    """Without a full stop, all claims are one sentence."""
    claims = [f"item-{number:04d} closed open" for number in range(400)]

    assert lines_to_judge(" ".join(claims), outcome) < 20_000_000


@each_outcome
def test_the_same_sentence_10000_times(outcome: str) -> None:
    assert lines_to_judge("item-0001 is open. " * 10_000, outcome) < 20_000_000
