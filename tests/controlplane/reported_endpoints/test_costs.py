"""Tokens and costs that endpoints report under other names, in other places, or not at all.

    {"usage": {"prompt_tokens": 1009, "completion_tokens": 164, "total_tokens": 2994}}

Here the tokens of the model's thinking are only in the total. They are paid, so they count. Users of
other projects have reported each case: what the endpoint says of its usage is shown in the test.
"""

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("a14-reasoning-tokens-only-in-total")
def test_tokens_that_are_only_in_the_total_are_counted(played: PlayedCase) -> None:
    """{"prompt_tokens": 1009, "completion_tokens": 164, "total_tokens": 2994}

    1009 + 164 are only 1173. The rest is thinking, which is paid, too.
    """
    check_solved(played, max_requests=1)
    assert played.trial["tokens"] == 2994


@plays("a16-cache-read-anthropic")
def test_cached_tokens_are_counted_under_anthropics_name(played: PlayedCase) -> None:
    """{"prompt_tokens": 1500, "cache_read_input_tokens": 1000,
    "cache_creation_input_tokens": 100, ...}"""
    check_solved(played, max_requests=1)
    assert 0 < played.result.json["cached_share"] <= 1


@plays("d16-cached-greater")
def test_more_cached_tokens_than_prompt_tokens_make_no_negative_cost(
    played: PlayedCase,
) -> None:
    """{"prompt_tokens": 100, "prompt_tokens_details": {"cached_tokens": 2000},
    "completion_tokens": 100}

    This endpoint counts only what is not cached as `prompt_tokens`. A million tokens cost 10 USD,
    or 1 USD if they are cached: (100 * 10 + 2000 * 1 + 100 * 10) / 1,000,000 = 0.004.
    """
    check_solved(played, max_requests=1)
    assert 0 < played.result.json["cached_share"] <= 1
    assert played.trial["cost_usd"] == pytest.approx(0.004)


@plays("c29-empty-then-good")
def test_replies_that_are_empty_are_paid_too(played: PlayedCase) -> None:
    """Three empty replies, and a good one, each with {"prompt_tokens": 1500,
    "completion_tokens": 120}. At 1 and 10 USD a million, 1500 + 120 tokens cost 0.0027 USD."""
    replies = 4

    check_solved(played, max_requests=replies)

    assert played.trial["tokens"] == replies * (1500 + 120)
    assert played.trial["cost_usd"] == pytest.approx(replies * 0.0027)


@plays("c30-empty-cost-limit")
def test_a_limit_of_costs_counts_empty_replies(played: PlayedCase) -> None:
    """{"prompt_tokens": 200000, "completion_tokens": 5000}

    At 10 and 30 USD a million, the first reply, which is empty, costs 2.15 USD. The trial may cost
    1 USD.
    """
    assert played.result.code == BudgetExhausted.exit_code, played.summary
    assert len(played.requests) == 1
    assert played.trial["cost_usd"] > 1


@plays("e11-byok-run-cost")
def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
    played: PlayedCase,
) -> None:
    """{"prompt_tokens": 100000, "completion_tokens": 1000, "cost": 0}

    The gateway takes no money, since the user has a key of their own at the provider. At the user's
    prices, 10 USD a million, the first reply costs 1.01 USD. The trial may cost 1 USD.
    """
    assert played.result.code == BudgetExhausted.exit_code, played.summary
    assert len(played.requests) == 1


@plays("e12-byok-run-cost-no-prices")
def test_a_providers_cost_behind_a_gateway_is_counted(played: PlayedCase) -> None:
    """{"cost": 0, "cost_details": {"upstream_inference_cost": 5.0}}

    The user gave no prices. Each reply is free at the gateway, and costs 5 USD at the provider.
    """
    costs_usd: list[float] = []
    for event in played.events:
        if event["type"] == "model_replied":
            costs_usd.append(event["cost_usd"])

    assert costs_usd[:2] == [5.0, 5.0]
