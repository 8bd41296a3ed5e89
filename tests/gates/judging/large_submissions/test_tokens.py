"""Many tokens, which the answer of a submission must have, are looked up with bounded work.

A script declares `tokens=["21", ["open", "closed"]]`: the answer must have the 21, and exactly one
of the alternatives `open` and `closed`. A model may declare thousands of them.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import valid_scratchpad
from tests.gates.judging.large_submissions.bounded_judging import (
    message_after_bounded_judging,
)

pytestmark = pytest.mark.second_tier


def test_1000_tokens_that_occur_often() -> None:
    message = message_after_bounded_judging(
        valid_scratchpad(answer="21 days " * 100_000, tokens=["21"] * 1_000)
    )

    assert len(message) < 40_000


def test_100000_alternatives_that_are_the_same() -> None:
    message = message_after_bounded_judging(valid_scratchpad(tokens=[["a"] * 100_000]))

    assert len(message) < 40_000


def test_100_alternatives_that_do_not_occur() -> None:
    # "q1", "q02", "q003", ..., each longer by one digit
    alternatives = [f"q{str(digits).zfill(digits)}" for digits in range(1, 101)]

    message = message_after_bounded_judging(
        valid_scratchpad(answer="x" * 200_000, tokens=[alternatives])
    )

    assert len(message) < 40_000


def test_100_tokens_that_contain_each_other() -> None:
    """Each of "aa", "aaa", "aaaa", ... occurs at each place of the answer."""
    tokens = ["a" * length for length in range(2, 102)]

    message = message_after_bounded_judging(
        valid_scratchpad(answer="a" * 300_000, tokens=tokens)
    )

    assert len(message) < 40_000
