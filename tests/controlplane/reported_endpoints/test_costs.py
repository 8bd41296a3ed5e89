"""Tokens and costs that endpoints report under other names, in other places, or not at all.

    {"usage": {"prompt_tokens": 1009, "completion_tokens": 164, "total_tokens": 2994}}

Here the tokens of the model's thinking are only in the total. They are paid, so they count.
"""

import pytest

from controlplane.errors import BudgetExhausted
from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays
from tests.controlplane.reported_endpoints.reply_bodies import USAGE


@plays("a14-reasoning-tokens-only-in-total")
def test_tokens_that_are_only_in_the_total_are_counted(played: PlayedCase) -> None:
    """The reply counts 2994 tokens in all, but only 1009 of the prompt and 164 of the answer.
    The rest is thinking, which is paid, too. The user who reported this expected 1994."""
    check_solved(played, max_requests=1)
    assert played.trial["tokens"] >= 1994


@plays("a16-cache-read-anthropic")
def test_cached_tokens_are_counted_under_anthropics_name(played: PlayedCase) -> None:
    """The usage has `cache_read_input_tokens` beside `prompt_tokens`."""
    check_solved(played, max_requests=1)
    assert 0 < played.result.json["cached_share"] <= 1


@plays("d16-cached-greater")
def test_more_cached_tokens_than_prompt_tokens_make_no_negative_cost(
    played: PlayedCase,
) -> None:
    """100 tokens of the prompt are not cached, 2000 are, and 100 are written. At 10, 1 and 10 USD
    a million that is 0.004 USD."""
    check_solved(played, max_requests=1)
    assert 0 < played.result.json["cached_share"] <= 1
    assert 0.001 <= played.trial["cost_usd"] <= 0.1


@plays("c29-empty-then-good")
def test_replies_that_are_empty_are_paid_too(played: PlayedCase) -> None:
    """Three empty replies, and a good one. 1500 + 120 tokens at 1 and 10 USD a million cost
    0.0027 USD."""
    replies = 4

    check_solved(played, max_requests=replies)

    assert played.trial["tokens"] == replies * USAGE["total_tokens"]
    assert played.trial["cost_usd"] == pytest.approx(replies * 0.0027)


@plays("c30-empty-cost-limit")
def test_a_limit_of_costs_counts_empty_replies(played: PlayedCase) -> None:
    """The first reply is empty and costs 2.15 USD; the trial may cost 1 USD."""
    assert played.result.code == BudgetExhausted.exit_code, played.summary
    assert len(played.requests) == 1
    assert played.trial["cost_usd"] > 1


@plays("e11-byok-run-cost")
def test_a_limit_of_costs_counts_replies_that_the_gateway_gives_free(
    played: PlayedCase,
) -> None:
    """With the user's own key at a provider, the gateway says "cost": 0. The first reply costs
    1.01 USD by the user's prices; the trial may cost 1 USD."""
    assert played.result.code == BudgetExhausted.exit_code, played.summary
    assert len(played.requests) == 1


@plays("e12-byok-run-cost-no-prices")
def test_a_providers_cost_behind_a_gateway_is_counted(played: PlayedCase) -> None:
    """The gateway's own "cost" is 0, and its `upstream_inference_cost` is 5 USD a reply."""
    costs_usd: list[float] = []
    for event in played.events:
        if event["type"] == "model_replied":
            costs_usd.append(event["cost_usd"])

    assert costs_usd[:2] == [5.0, 5.0]
