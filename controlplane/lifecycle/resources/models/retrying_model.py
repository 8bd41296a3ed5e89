"""The model that a user's own solver gets."""

from __future__ import annotations

from collections.abc import Callable

from controlplane.agent.loop import ModelRetry
from controlplane.agent.model import (
    Model,
    ModelRequest,
    Reply,
)


class RetryingModel(Model):
    """Wraps the model that a user's own solver gets, and retries transient failures.

    A solver must ask through `session.ask(...)`, which counts and records requests,
    and adds a permit to each. This model refuses a request without a permit, which
    would be neither counted nor recorded.
    """

    def __init__(
        self, model: Model, retry: ModelRetry, on_retry: Callable[[str], None]
    ) -> None:
        """`on_retry` is called before each pause, with a notice for the user."""
        self.name = model.name
        self._model = model
        self._retry = retry
        self._on_retry = on_retry

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply.

        Raises `ModelError`, or `RuntimeError` for a request without a permit.
        """
        # `use` returns False for a permit that was used before: it is for one request.
        permit = request.permit
        if permit is None or not permit.use():
            msg = "one reply is asked for with session.ask(...), which counts and records it"
            raise RuntimeError(msg)
        retried = self._retry.ask(lambda: self._model.reply_to(request), self._on_retry)
        return retried.reply
