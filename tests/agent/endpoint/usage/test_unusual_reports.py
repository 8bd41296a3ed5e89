"""The *usage* of a reply, its numbers of tokens, may have numbers of other types, or absurd ones.

What cannot be a number of tokens is not counted: `{"prompt_tokens": -5}` -> 0.
"""

import pytest

from tests.agent.endpoint.usage.reported_tokens import Tokens, tokens_of


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        pytest.param(
            {"prompt_tokens": 100.0, "completion_tokens": "50"},
            Tokens(prompt=100, completion=50),
            id="numbers as a float and as a string",
        ),
        pytest.param(
            "many", Tokens(prompt=0, completion=0), id="a word instead of a report"
        ),
        pytest.param(
            {"prompt_tokens": -5, "completion_tokens": 1e30, "total_tokens": "x"},
            Tokens(prompt=0, completion=0),
            id="absurd numbers",
        ),
    ],
)
def test_unusual_numbers_are_read_and_absurd_ones_are_not(
    report: object, expected: Tokens
) -> None:
    assert tokens_of(report) == expected
