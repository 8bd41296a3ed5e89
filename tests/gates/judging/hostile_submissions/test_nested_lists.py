"""The gates, the checks of answers, reject lists that contain themselves or are nested very deeply.

A script is written by a model and may submit anything, such as a list in a list, 100,000 times. The
gates judge a plain copy of the submission. What cannot be copied counts as missing, without an
exception.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import judge_scratchpad, valid_scratchpad

pytestmark = pytest.mark.second_tier


def take_apart(deep_list: list[object]) -> None:
    """Free a list level by level. Python could overflow its stack if it freed all levels at
    once."""
    inner: object = deep_list
    while isinstance(inner, list):
        inner = inner.pop()


def test_a_list_that_contains_itself_is_rejected() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    facts = {"a": {"value": cycle, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=cycle))

    assert not judgement.accepted


def test_a_list_of_100000_levels_is_rejected() -> None:
    """A function that called itself for each level would exceed Python's limit of recursion."""
    deep_list: list[object] = ["bottom"]
    for _ in range(100_000):
        deep_list = [deep_list]
    facts = {"a": {"value": deep_list, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=deep_list))

    assert not judgement.accepted
    take_apart(deep_list)
