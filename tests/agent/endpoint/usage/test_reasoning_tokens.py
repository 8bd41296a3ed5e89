"""Tokens of reasoning are among those of the completion, that is, of a model's whole reply.

Each reply comes with its *usage*, the numbers of tokens. Some vendors report a completion without
reasoning, and only the total, or the details, show it: a prompt of 100, a completion of 50 and a
total of 450 -> a completion of 350.
"""

import pytest

from tests.agent.endpoint.usage.reported_tokens import Tokens, tokens_of


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "total_tokens": 150,
                "prompt_tokens_details": {"cached_tokens": 40},
                "completion_tokens_details": {"reasoning_tokens": 30},
            },
            Tokens(prompt=100, completion=50, cached=40, reasoning=30),
            id="OpenAI",
        ),
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "total_tokens": 450,
                "completion_tokens_details": {"reasoning_tokens": 300},
            },
            Tokens(prompt=100, completion=350, reasoning=300),
            id="xAI, which adds reasoning to the completion only in the total",
        ),
        pytest.param(
            {"prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 450},
            Tokens(prompt=100, completion=350),
            id="reasoning that only the total includes",
        ),
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "completion_tokens_details": {"reasoning_tokens": 300},
            },
            Tokens(prompt=100, completion=350, reasoning=300),
            id="more reasoning than completion, without a total",
        ),
    ],
)
def test_reasoning_is_counted_in_the_completion_for_every_vendor(
    report: object, expected: Tokens
) -> None:
    assert tokens_of(report) == expected
