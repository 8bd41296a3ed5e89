"""A model at an OpenAI-compatible endpoint.

`Endpoint.reply_to` sends one request and returns the reply. What the endpoint refuses is left out
from then on. Every failure is a `ModelError` with one line that never contains the API key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from controlplane.agent.endpoint.connection import LIST_TIMEOUT_S, Connection
from controlplane.agent.endpoint.errors import ErrorReply
from controlplane.agent.endpoint.negotiation import PROBE, negotiate
from controlplane.agent.endpoint.requests import WrittenRequest
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import (
    Capabilities,
    Model,
    ModelError,
    ModelRequest,
    Reply,
)

_CONTEXT_FIELDS: Final = (
    "n_ctx",  # llama.cpp, inside of `meta`
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # Mistral
)
"""The fields in which servers give the size of a model's context in tokens."""

_NOT_ALLOWED: Final = (401, 403)
"""HTTP statuses with which servers refuse a key."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that an endpoint lists."""

    model_id: str
    context_tokens: int | None = None
    """The size of the context, for request and reply
    together; None if the list does not give it."""


class Endpoint(Model):
    """A model at an endpoint, created once for a run and used from the threads of its trials."""

    def __init__(
        self, settings: EndpointSettings, capabilities: Capabilities | None = None
    ) -> None:
        """Prepare the client without connecting.

        `capabilities` were learned by earlier requests, such as those of an interrupted run.
        Raises `ValueError` if the environment names a proxy or certificates that are unusable.
        """
        self.name = settings.model
        self._settings = settings
        is_chat = settings.api == "chat"
        self._known = capabilities or Capabilities(
            endpoint=settings.shown_url,
            model=settings.model,
            length_field="max_tokens" if is_chat else "max_output_tokens",
        )
        """What the requests of all trials have learned so far."""
        self._lock = threading.Lock()
        self._connection = Connection(settings)

    def stream_to(self, on_text: Callable[[str], None]) -> None:
        """Let `on_text` get the text of replies as it arrives. Texts of several trials mix."""
        self._connection.on_text = on_text

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply. Raises `ModelError`.

        If the endpoint refuses a parameter, the request is sent again without it. The reply then
        has a notice for the user: `takes no seed; leaving it out from here on`.
        """
        known = self._known  # which parameters the endpoint takes, so far
        first_request = WrittenRequest(request, self._settings, known)
        reply = negotiate(first_request, self._connection)
        if reply.learned is None:
            return reply
        with self._lock:
            if self._known is known:
                self._known = reply.learned
                return reply
        # Another thread has changed what is known since, and its own lesson stays: one has learned
        # that `seed` is refused, and one that `top_p` is. A later request is refused for the same
        # parameter, learns the other part again, and has the notice.
        return reply.model_copy(update={"notices": (), "learned": None})

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Return the reply to a harmless message, for diagnosis. Raises `ModelError`."""
        return self.complete([PROBE], role="check", schema=schema)

    def listed_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the endpoint lists; empty if it lists none in time.

        The user can choose among them. Servers give the size of a context in different fields:

            {"data": [{"id": "qwen3", "max_model_len": 32768}, {"id": "glm"}]}
                -> ListedModel("qwen3", 32768), ListedModel("glm")

        Raises `ModelError` if the endpoint refuses the key.
        """
        response = self._connection.list_of_models()
        if response is None:
            return ()
        if response.status_code in _NOT_ALLOWED:
            self._raise_if_key_refused()
            return ()
        models: list[ListedModel] = []
        try:
            for entry in json.loads(response.content)["data"]:
                model_id = str(entry["id"])
                fields = dict(entry)
                meta = fields.get("meta")
                if isinstance(meta, dict):
                    fields.update(meta)  # llama.cpp has the size there.
                if model_id.isprintable():
                    models.append(ListedModel(model_id, _context_tokens_in(fields)))
        except (ValueError, TypeError, LookupError, RecursionError):
            return ()
        return tuple(models)

    def _raise_if_key_refused(self) -> None:
        """Raise `ModelError` if the endpoint refuses the key for requests to the model, too.

        Some keys are good for replies and not for lists. So a request without messages is sent,
        which costs nothing: a server looks at the key before it finds that they are missing.
        """
        messages_field = "messages" if self._settings.api == "chat" else "input"
        body = {"model": self._settings.model, messages_field: []}
        try:
            answer = self._connection.ask(body, time.monotonic() + LIST_TIMEOUT_S)
        except ModelError:
            return  # The first request of a trial will show it.
        if isinstance(answer, ErrorReply) and answer.refuses_key:
            raise answer.exception(self._settings)

    def cut_off_at(self, stop: threading.Event) -> None:
        """Let requests fail, also those in flight, as soon as an event is set."""
        self._connection.cut_off_at(stop)

    def close(self) -> None:
        """Close the connections."""
        self._connection.close()


def _context_tokens_in(fields: Mapping[str, object]) -> int | None:
    """Return the size of the context: `{"max_model_len": 32768}` -> 32768; None without one."""
    for name in _CONTEXT_FIELDS:
        tokens = fields.get(name)
        if isinstance(tokens, int) and tokens > 0 and tokens is not True:
            return tokens
    return None
