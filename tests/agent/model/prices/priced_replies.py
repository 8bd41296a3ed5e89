"""A reply with the cost that `PricedModel`, a wrapper of a model, has added.

    priced_reply("gpt-4o").cost_usd == 0.003

The request has 1000 tokens, 400 of them from the vendor's cache, and the reply has 100.
"""

from controlplane.agent.model import PricedModel, Prices, Reply, Usage
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
