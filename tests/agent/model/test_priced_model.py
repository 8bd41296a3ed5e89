"""Who says what a reply cost."""

import pytest

from agent.model import AnsweringModel, ModelRequest, PricedModel, Reply, public_price
from agent.model.model_protocol import Usage
from controlplane.configuration.run_settings import Prices

USAGE = Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=400)
OWN = Prices(input=2.0, output=10.0, cached=0.5)


class OneReply(AnsweringModel):
    name = ""

    def __init__(self, name: str, reply: Reply) -> None:
        self.name = name
        self._reply = reply

    def reply_to(self, request: ModelRequest) -> Reply:
        return self._reply


def priced(name: str, reply: Reply, base_url: str = "", prices: Prices | None = None) -> Reply:
    return PricedModel(OneReply(name, reply), base_url=base_url, prices=prices).complete([])


def test_the_vendors_own_figure_comes_first() -> None:
    reply = priced("gpt-4o", Reply(text="", usage=USAGE, cost_usd=0.25), prices=OWN)
    assert (reply.cost_usd, reply.cost_source) == (0.25, "vendor")


@pytest.mark.parametrize(
    ("prices", "cost_usd"), [(OWN, 0.0024), (Prices(input=2.0, output=10.0), 0.003), (Prices(input=0, output=0), 0.0)]
)
def test_then_the_owners_prices(prices: Prices, cost_usd: float) -> None:
    reply = priced("anything", Reply(text="", usage=USAGE), prices=prices)
    assert reply.cost_usd == pytest.approx(cost_usd)
    assert reply.cost_source == "profile"


def test_then_the_public_ones_of_the_vendor_at_that_address() -> None:
    reply = priced("gpt-4o", Reply(text="", usage=USAGE))
    # Published: 2.50 in, 1.25 from the cache, 10 out, in USD per million tokens.
    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "genai-prices"


@pytest.mark.parametrize(
    ("name", "base_url"), [("gpt-4o", "http://127.0.0.1:1234/v1"), ("no-such-model", ""), ("", "")]
)
def test_what_nobody_knows_is_unknown_and_not_zero(name: str, base_url: str) -> None:
    reply = priced(name, Reply(text="", usage=USAGE), base_url)
    assert (reply.cost_usd, reply.cost_source) == (None, "")
    assert public_price(name, base_url) is None


def test_without_counted_tokens_no_price_helps() -> None:
    assert priced("gpt-4o", Reply(text=""), prices=OWN).cost_usd is None
