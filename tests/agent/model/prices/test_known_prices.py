"""A reply of a model costs what the user has set, or what is public for the model.

The request of `priced_reply` has 1000 tokens, 400 of them from the vendor's cache, and the reply 100.
Prices are in dollars for a million tokens.
"""

import pytest

from controlplane.agent.model import Prices, public_price_source
from tests.agent.model.prices.priced_replies import priced_reply


@pytest.mark.parametrize(
    ("prices", "expected_usd"),
    [
        pytest.param(
            Prices(input=2.0, output=10.0, cached=0.5),
            (600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1e6,
            id="own price for cached tokens",
        ),
        pytest.param(
            Prices(input=2.0, output=10.0),
            (1000 * 2.0 + 100 * 10.0) / 1e6,
            id="cached tokens cost the same",
        ),
        pytest.param(Prices(input=0, output=0), 0.0, id="free"),
    ],
)
def test_cost_follows_the_prices_that_the_user_has_set(
    prices: Prices, expected_usd: float
) -> None:
    reply = priced_reply("anything", prices=prices)

    assert reply.cost_usd == pytest.approx(expected_usd)
    assert reply.cost_source == "profile"


def test_cost_follows_the_public_prices_if_the_user_has_set_none() -> None:
    """The package `genai-prices` has the public prices of many models. Those of gpt-4o are 2.50,
    1.25 for cached tokens, and 10 for a reply."""
    reply = priced_reply("gpt-4o")

    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "genai-prices"


@pytest.mark.parametrize("model_name", ["gpt-4o", "openai/gpt-4o"])
def test_cost_at_a_gateway_is_marked_as_the_list_price(model_name: str) -> None:
    """A gateway passes requests on to vendors, and may charge another price than they do."""
    gateway_url = "https://gateway.example.com/v1"

    reply = priced_reply(model_name, base_url=gateway_url)

    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "list price"
    assert public_price_source(model_name, gateway_url) == "list price"
