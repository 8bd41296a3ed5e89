"""Adds the cost to the replies of a model, from the best source that knows it.

The user may have set the prices of the model's tokens (`Prices`). Without them, some endpoints
report the cost of a reply, and a table has the public prices of many models.
"""

from __future__ import annotations

from controlplane.agent.model.benchmark_model import Model
from controlplane.agent.model.public_prices import (
    OPENAI_URL,
    UNKNOWN_COST,
    Cost,
    Prices,
    public_cost,
)
from controlplane.agent.model.reply import ModelRequest, Reply

# Why a model gave no reply.
#
# ModelError
# ├── BadReply            the endpoint's reply is malformed
# ├── Unconnected         no connection to the endpoint could be made
# ├── RetriesExhausted    the run has used up its retries
# ├── OutOfBudget         the trial or its run has spent what it may
# ├── OutOfTime           the trial's time was over before the reply came
# └── Abandoned           the reply is no longer wanted


class ModelError(Exception):
    """A model gave no reply. The run may retry the request, or pause."""

    leaves_step = True
    """Read by the sandbox. A call of a script may ask a model, which plays a user, for example.
    If the model gives no reply, the sandbox ends the script, and not only the call."""

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        affects_all: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        """True if the failure is transient: the same request may succeed later."""
        self.affects_all = affects_all
        """True if all trials meet the error, such as that of a wrong key. The run should pause."""
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait before the next request; None if it names none."""
        self.test_reply: Reply | None = None
        """If the endpoint was sent a small request as a test, because it had refused this one:
        the reply to the test, which was paid for. Else None."""


class BadReply(ModelError):
    """The endpoint's reply is malformed. Asking again may help."""


class Unconnected(ModelError):
    """No connection to the endpoint could be made, so the request was not sent."""


class RetriesExhausted(ModelError):
    """The run has used up its retries."""


class OutOfBudget(ModelError):
    """The trial or its run has spent its whole budget."""


class OutOfTime(ModelError):
    """The trial's time was over before the reply came."""


class Abandoned(ModelError):
    """The trial was told to stop while it waited for the reply."""


class PricedModel(Model):
    """Asks another model, and adds the cost to each of its replies, if the cost is known.

    If the user has set `Prices(input=2.5, output=10)`, a request of 200,000 tokens adds 0.50
    dollars to the cost of its reply.
    """

    def __init__(
        self, model: Model, *, base_url: str = "", prices: Prices | None = None
    ) -> None:
        """`base_url` is the endpoint's address, by which public prices are found; empty for
        OpenAI's address. `prices` are those that the user has set.
        """
        self.name = model.name
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._prices = prices

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the model's reply with its cost. Raises `ModelError`."""
        try:
            return self._priced(self._model.reply_to(request))
        except ModelError as error:
            # The request failed. The client may have sent a test request to find out why, and
            # its reply costs, too.
            if error.test_reply is not None:
                error.test_reply = self._priced(error.test_reply)
            raise

    def _priced(self, reply: Reply) -> Reply:
        """Return a reply with its cost, and where the cost comes from."""
        cost = self.cost_of(reply)
        return reply.model_copy(
            update={"cost_usd": cost.usd, "cost_source": cost.source}
        )

    def cost_of(self, reply: Reply) -> Cost:
        """Return the cost of a reply, from the first source that knows it.

        | source | what knows the cost |
        |---|---|
        | `profile` | the prices that the user has set |
        | `vendor` | the endpoint, which reports the cost with the reply |
        | `genai-prices`, `list price` | a table of public prices (see `public_cost`) |
        """
        usage = reply.usage
        has_tokens = usage.prompt_tokens + usage.completion_tokens > 0
        if self._prices is not None and has_tokens:
            return Cost(self._prices.cost_usd_of(usage), "profile")
        if reply.cost_usd is not None:
            return Cost(reply.cost_usd, "vendor")
        if not has_tokens:
            return UNKNOWN_COST  # The tokens were not counted.
        return public_cost(usage, self.name, self._base_url)
