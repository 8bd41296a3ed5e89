"""Tokens from a vendor's cache are among those of the prompt, that is, of the whole request.

Each reply comes with its *usage*, the numbers of tokens. A cached token is cheaper. Some vendors
report cached tokens beside the prompt, and not in it: 3 of input and 500 of the cache -> a prompt
of 503.
"""

import pytest

from tests.agent.endpoint.usage.reported_tokens import Tokens, tokens_of


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        pytest.param(
            {
                "input_tokens": 3,
                "cache_read_input_tokens": 500,
                "cache_creation_input_tokens": 20,
                "output_tokens": 50,
            },
            Tokens(prompt=3 + 500 + 20, completion=50, cached=500),
            id="Anthropic, which counts cached tokens separately",
        ),
        pytest.param(
            {
                "prompt_tokens": 523,
                "completion_tokens": 50,
                "total_tokens": 573,
                "cache_read_input_tokens": 500,
            },
            Tokens(prompt=523, completion=50, cached=500),
            id="gateway to Anthropic, whose prompt includes cached tokens",
        ),
        pytest.param(
            {
                "prompt_tokens": 600,
                "completion_tokens": 50,
                "total_tokens": 1150,
                "cache_read_input_tokens": 500,
            },
            Tokens(prompt=600 + 500, completion=50, cached=500),
            id="gateway whose total shows that cached tokens are separate",
        ),
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "prompt_tokens_details": {"cached_tokens": 2000},
            },
            Tokens(prompt=100 + 2000, completion=50, cached=2000),
            id="more cached tokens than tokens of the prompt",
        ),
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 50,
                "prompt_cache_hit_tokens": 40,
                "prompt_cache_miss_tokens": 60,
            },
            Tokens(prompt=100, completion=50, cached=40),
            id="DeepSeek",
        ),
    ],
)
def test_cached_tokens_are_counted_in_the_prompt_for_every_vendor(
    report: object, expected: Tokens
) -> None:
    assert tokens_of(report) == expected
