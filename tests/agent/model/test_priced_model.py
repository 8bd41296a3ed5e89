"""What a reply of a model costs: by the user's prices, or by public ones.

`PricedModel` wraps a model, and adds the cost to each reply. A model whose price is unknown has the
cost None, not 0.
"""

import pytest

from controlplane.agent.model import (
    PricedModel,
    Prices,
    Reply,
    Usage,
    public_price_source,
)
from tests.support.single_trial import ModelWithReplies

USAGE = Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=400)
"""Of the 1000 tokens of the request, 400 came from the provider's prompt cache."""


def priced_reply(
    model_name: str, *, base_url: str = "", prices: Prices | None = None
) -> Reply:
    """Return a reply that used `USAGE`, with the cost that `PricedModel` has added.

    Without `base_url`, the model is at OpenAI's address.
    """
    model = ModelWithReplies([Reply(text="", usage=USAGE)], model_name)
    priced_model = PricedModel(model, base_url=base_url, prices=prices)
    return priced_model.complete([])


# The public prices of gpt-4o: USD 2.50 for a million tokens of requests, 1.25 for cached ones,
# and 10 for a million tokens of replies.
GPT_4O_COST_USD = (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6
"""What `USAGE` costs at these prices."""


class TestKnownPrices:
    """A reply costs what the user has set, or what is public for the model.

    The request of `priced_reply` has 1000 tokens, 400 of them cached, and the reply 100. Prices are
    in dollars for a million tokens.
    """

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
        self, prices: Prices, expected_usd: float
    ) -> None:
        reply = priced_reply("anything", prices=prices)

        assert reply.cost_usd == pytest.approx(expected_usd)
        assert reply.cost_source == "profile"

    def test_cost_follows_the_public_prices_if_the_user_has_set_none(self) -> None:
        """The package `genai-prices` has the public prices of many models."""
        reply = priced_reply("gpt-4o")

        assert reply.cost_usd == pytest.approx(GPT_4O_COST_USD)
        assert reply.cost_source == "genai-prices"

    @pytest.mark.parametrize("model_name", ["gpt-4o", "openai/gpt-4o"])
    def test_cost_at_a_gateway_is_marked_as_the_list_price(
        self, model_name: str
    ) -> None:
        """A gateway passes requests on to vendors, and may charge another price than they do."""
        gateway_url = "https://gateway.example.com/v1"

        reply = priced_reply(model_name, base_url=gateway_url)

        assert reply.cost_usd == pytest.approx(GPT_4O_COST_USD)
        assert reply.cost_source == "list price"
        assert public_price_source(model_name, gateway_url) == "list price"


class TestUnknownPrices:
    """A model without a known price has the cost None, and not 0.

    The cost 0 would say that the reply was free. Servers of the user's own have no public price.
    """

    @pytest.mark.parametrize(
        ("model_name", "base_url"),
        [
            pytest.param("gpt-4o", "http://127.0.0.1:1234/v1", id="own machine"),
            pytest.param(
                "gpt-4o", "http://localhost:1234/v1", id="own machine by name"
            ),
            pytest.param(
                "gpt-4o", "http://vllm.internal/v1", id="private network by name"
            ),
            pytest.param("gpt-4o", "http://10.0.0.7/v1", id="private network"),
            pytest.param("no-such-model", "", id="unknown model"),
            pytest.param(
                "no-such-model",
                "https://gateway.example.com/v1",
                id="unknown model of a gateway",
            ),
            pytest.param("", "", id="no name"),
        ],
    )
    def test_unknown_cost_is_none_and_not_zero(
        self, model_name: str, base_url: str
    ) -> None:
        """The user's own server may be called gpt-4o, too, but has no public price."""
        reply = priced_reply(model_name, base_url=base_url)

        assert reply.cost_usd is None
        assert reply.cost_source == ""
        assert public_price_source(model_name, base_url) == ""
