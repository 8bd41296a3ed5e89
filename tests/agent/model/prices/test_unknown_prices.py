"""A reply of a model without a known price has the cost None, and not 0.

The cost 0 would say that the reply was free. Servers of the user's own have no public price, also if one
calls its model gpt-4o. `priced_reply` returns a reply with its cost.
"""

import pytest

from controlplane.agent.model import public_price_source
from tests.agent.model.prices.priced_replies import priced_reply


@pytest.mark.parametrize(
    ("model_name", "base_url"),
    [
        pytest.param("gpt-4o", "http://127.0.0.1:1234/v1", id="own machine"),
        pytest.param("gpt-4o", "http://localhost:1234/v1", id="own machine by name"),
        pytest.param("gpt-4o", "http://vllm.internal/v1", id="private network by name"),
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
def test_unknown_cost_is_none_and_not_zero(model_name: str, base_url: str) -> None:
    """The user's own server may be called gpt-4o, too, but has no public price."""
    reply = priced_reply(model_name, base_url=base_url)

    assert reply.cost_usd is None
    assert reply.cost_source == ""
    assert public_price_source(model_name, base_url) == ""
