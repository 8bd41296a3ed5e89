"""The *usage* of a reply, its numbers of tokens, may have numbers of other types, or absurd ones.

What cannot be a number of tokens is not counted: `{"prompt_tokens": -5}` -> 0.
"""

from dataclasses import dataclass

import pytest

from controlplane.agent.endpoint.replies import cost_of, usage_of

# The tokens of a reply, read from the *usage* that the endpoint of a model reports.
#
#     tokens_of({"prompt_tokens": 100, "completion_tokens": 50})
#     == Tokens(prompt=100, completion=50, cached=0, reasoning=0)
#
# Vendors count differently; these four numbers mean the same for all of them.


@dataclass(frozen=True)
class Tokens:
    """The tokens that a report means."""

    prompt: int
    """All tokens of the request, cached ones included."""
    completion: int
    """All tokens of the reply, reasoning included."""
    cached: int = 0
    reasoning: int = 0


def tokens_of(report: object) -> Tokens:
    """Return the tokens that are read from a report."""
    usage = usage_of(report)
    return Tokens(
        prompt=usage.prompt_tokens,
        completion=usage.completion_tokens,
        cached=usage.cached_tokens,
        reasoning=usage.reasoning_tokens,
    )


# Tokens from a vendor's cache are among those of the prompt, that is, of the whole request.
#
# Each reply comes with its *usage*, the numbers of tokens. A cached token is cheaper. Some vendors
# report cached tokens beside the prompt, and not in it: 3 of input and 500 of the cache -> a prompt
# of 503.


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
                "input_tokens": 1000,
                "cache_read_input_tokens": 500,
                "output_tokens": 50,
            },
            Tokens(prompt=1000 + 500, completion=50, cached=500),
            id="Anthropic, with fewer cached tokens than others",
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


# The cost of a reply is read in dollars, if the vendor reports one.
#
# Vendors put it in different fields: `{"cost": {"total_cost": 0.006}}` -> 0.006. A cost that is
# missing or impossible is unknown (None), and not 0.

ONE_TOKEN_EACH = {"prompt_tokens": 1, "completion_tokens": 1}


@pytest.mark.parametrize(
    ("cost_fields", "expected_usd"),
    [
        pytest.param({"cost": 0.95}, 0.95, id="OpenRouter"),
        pytest.param(
            {
                "cost": 0.05,
                "is_byok": True,
                "cost_details": {"upstream_inference_cost": 1},
            },
            0.05 + 1,
            id="OpenRouter's fee and the vendor's bill for the user's own key",
        ),
        pytest.param(
            {"cost": 0.95, "cost_details": {"upstream_inference_cost": 0.9}},
            0.95,
            id="OpenRouter, whose cost already includes the vendor's",
        ),
        pytest.param({"cost": {"total_cost": 0.006}}, 0.006, id="Perplexity"),
        pytest.param({"estimated_cost": 2e-5}, 2e-5, id="DeepInfra"),
        pytest.param({"cost": "0.01"}, 0.01, id="number as a string"),
        pytest.param(
            {"cost_in_usd_ticks": 37_756_000},
            0.0037756,
            id="xAI, in ten-billionths of a dollar",
        ),
    ],
)
def test_cost_is_read_in_dollars_for_every_vendor(
    cost_fields: dict[str, object], expected_usd: float
) -> None:
    report = ONE_TOKEN_EACH | cost_fields

    assert cost_of(report) == pytest.approx(expected_usd)


@pytest.mark.parametrize(
    "report",
    [
        pytest.param(ONE_TOKEN_EACH, id="not reported"),
        pytest.param(ONE_TOKEN_EACH | {"cost": -1}, id="negative"),
        pytest.param("many", id="a word instead of a report"),
    ],
)
def test_cost_is_unknown_if_the_report_has_no_possible_cost(report: object) -> None:
    assert cost_of(report) is None


# Tokens of reasoning are among those of the completion, that is, of a model's whole reply.
#
# Each reply comes with its *usage*, the numbers of tokens. Some vendors report a completion without
# reasoning, and only the total, or the details, show it: a prompt of 100, a completion of 50 and a
# total of 450 -> a completion of 350.


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
