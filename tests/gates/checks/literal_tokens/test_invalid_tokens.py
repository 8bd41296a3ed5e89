"""Gate 8: tokens are texts, or lists of alternative texts, at most 100 in all.

A script declares as tokens the literal strings that its answer must contain, such as `["b-104",
["yes", "no"]]`. To `[3]` the gate says "the number `3`", so that the model can correct its script.
"""

from __future__ import annotations

import pytest

from tests.gates.checks.literal_tokens.token_objections import objection_to_tokens


@pytest.mark.parametrize(
    ("tokens", "objection"),
    [
        pytest.param({"a": 1}, "a mapping of 1", id="a mapping"),
        pytest.param([3], "the number `3`", id="a number"),
        pytest.param([""], "holds ``", id="an empty token"),
        pytest.param([[]], "a list of 0", id="no alternatives"),
        pytest.param([["a", 3]], "a list of 2", id="a number as alternative"),
        pytest.param([["", "x"]], "a list of 2", id="an empty alternative"),
        pytest.param(["x"] * 101, "declares 101 strings", id="101 tokens"),
        pytest.param([["x"] * 51] * 2, "declares 102 strings", id="102 alternatives"),
    ],
)
def test_tokens_that_are_not_a_list_of_texts_are_rejected(
    tokens: object, objection: str
) -> None:
    assert objection in objection_to_tokens("x", tokens)
