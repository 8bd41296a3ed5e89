"""A trial in the shop ends with one answer. Then it is closed, and its shop with it.

A trial is one try of a task. An agent that could answer, or call, once more might try until it is right.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_a_second_answer_is_refused_and_the_first_one_stays() -> None:
    shop = written_shop({})
    shop.answer("first", "OUTCOME_OK", ["/AGENTS.MD"])

    with pytest.raises(CallError) as refusal:
        shop.answer("second", "OUTCOME_OK", [])

    assert refusal.value.code == "already_exists"
    assert shop.submission is not None
    assert shop.submission.message == "first"


def test_no_call_is_possible_after_the_end() -> None:
    shop = written_shop({})
    shop.answer("first", "OUTCOME_OK", ["/AGENTS.MD"])

    shop.close()

    with pytest.raises(CallError, match="has ended"):
        shop.call("list", {})


def test_no_answer_is_possible_after_the_end() -> None:
    shop = written_shop({})

    shop.close()

    with pytest.raises(CallError, match="has ended"):
        shop.answer("first", "OUTCOME_OK", [])
