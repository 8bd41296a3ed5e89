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
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

import httpx2
import re2

from controlplane.agent.endpoint.connection import HttpClient, connection_error
from controlplane.agent.endpoint.errors import ErrorReply, read_error_reply
from controlplane.agent.endpoint.negotiation import PROBE, negotiate
from controlplane.agent.endpoint.replies import StreamedText, read_response
from controlplane.agent.endpoint.requests import WrittenRequest
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import (
    OPENAI_URL,
    Capabilities,
    Model,
    ModelError,
    ModelRequest,
    OutOfTime,
    Reply,
)
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    import openai

_CONTEXT_FIELDS: Final = (
    "n_ctx",  # llama.cpp, inside of `meta`
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # Mistral
)
"""The fields in which servers give the size of a model's context in tokens."""

_LIST_TIMEOUT_S: Final = 5.0
"""Seconds to wait for the list of models, which is useful but not needed."""
_NO_STREAM_STATUSES: Final = (400, 404, 415, 422, 501)
"""HTTP statuses with which servers refuse to stream."""
_STREAM_WORD: Final = re2.compile(r"(?i)(?:\b|_)stream")
"""Matches `stream_options` and `no_streaming`, but not `upstream`."""
_STREAMING: Final[Mapping[str, object]] = {
    "stream": True,
    "stream_options": {"include_usage": True},
}
"""The fields of a request's body that ask for a stream."""


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
        self._http = HttpClient()
        self._on_text: Callable[[str], None] | None = None
        """If set, replies are streamed, and this gets their text as it arrives."""
        self._has_streams = is_chat
        """False once the server has refused to stream, or if its protocol has no streams here."""
        self._last_reply_at: float | None = None
        """The moment of the last reply to any trial; None before the first one."""
        # To import the library takes most of a second. So a thread begins with it at once, while
        # the benchmark is prepared.
        threading.Thread(
            target=import_module, args=("openai",), name="import of openai", daemon=True
        ).start()

    @cached_property
    def _library(self) -> openai.OpenAI:
        """The client of OpenAI's library, which knows addresses and headers."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._settings.base_url or OPENAI_URL,
            max_retries=0,  # The caller retries, within the limits of the step and the run.
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    def stream_to(self, on_text: Callable[[str], None]) -> None:
        """Let `on_text` get the text of replies as it arrives. Texts of several trials mix."""
        self._on_text = on_text

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply. Raises `ModelError`.

        If the endpoint refuses a parameter, the request is sent again without it. The reply then
        has a notice for the user: `takes no seed; leaving it out from here on`.
        """
        known = self._known  # which parameters the endpoint takes, so far
        first_request = WrittenRequest(request, self._settings, known)
        reply = negotiate(first_request, self._ask)
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

        Raises `ModelError` if the endpoint refuses the key for requests, too.
        """
        import openai

        models_api = self._library.models.with_raw_response
        try:
            response = models_api.list(timeout=_LIST_TIMEOUT_S).http_response
        except openai.APIStatusError as error:
            response = error.response
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL):
            return ()
        if response.is_error:
            refusal = read_error_reply(response.status_code, {}, response.text)
            if refusal.meaning.of_account:
                self._raise_if_refused()
            return ()
        models: list[ListedModel] = []
        try:
            for entry in json.loads(response.content)["data"]:
                model_id = str(entry["id"])
                meta = entry.get("meta")  # llama.cpp has the size there.
                fields = {**entry, **(meta if isinstance(meta, dict) else {})}
                if model_id.isprintable():
                    models.append(ListedModel(model_id, _context_tokens_in(fields)))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return ()
        return tuple(models)

    def _raise_if_refused(self) -> None:
        """Raise `ModelError` if the endpoint refuses the key for requests to the model.

        Some keys are good for replies and not for lists. So a request without messages is sent, which
        costs nothing: a server looks at the key before it finds that they are missing. One that replies
        all the same writes one token.
        """
        messages_field = "messages" if self._settings.api == "chat" else "input"
        body: dict[str, object] = {"model": self._settings.model, messages_field: []}
        body[self._known.length_field or "max_tokens"] = 1
        try:
            answer = self._exchange(body, time.monotonic() + _LIST_TIMEOUT_S)
        except ModelError:
            return  # The first request of a trial will show it.
        if isinstance(answer, ErrorReply) and answer.meaning.of_account:
            raise answer.exception(self._settings)

    def _ask(self, body: Mapping[str, object], deadline: float) -> Reply | ErrorReply:
        """Return the reply to a request, or the error with which the endpoint refused it.

        `deadline` is a moment of `time.monotonic`. Raises `OutOfTime` if it has passed, or another
        `ModelError` if the connection breaks, or if there is no readable reply.

        If somebody watches, the reply is streamed, so that its text appears as the model writes it.
        Not every server can stream:

        | request | the endpoint answers | then |
        |---|---|---|
        | with `"stream": true` | 400, `no stream here` | it is sent again without |
        | without | a reply | no later request asks for a stream |
        | without | an error | the stream was not the reason: later requests ask for one |
        """
        if self._on_text is None or not self._has_streams:
            return self._exchange(body, deadline)

        # While this waits for the whole response, another thread reads it, and passes its text on.
        self._http.take_part = StreamedText(self._on_text).take
        try:
            outcome = self._exchange({**body, **_STREAMING}, deadline, is_stream=True)
        finally:
            self._http.take_part = None
        if not isinstance(outcome, ErrorReply) or not _refuses_stream(outcome):
            return outcome

        outcome = self._exchange(body, deadline)
        if isinstance(outcome, Reply):
            self._has_streams = False
        return outcome

    def _exchange(
        self, body: Mapping[str, object], deadline: float, *, is_stream: bool = False
    ) -> Reply | ErrorReply:
        """Send one request, and read the response. A request ends with its trial."""
        import openai

        settings = self._settings
        out_of_time = OutOfTime(
            f"{settings.shown_name} had not answered when the trial's time was over (--trial-time)"
        )
        began_at = time.monotonic()
        limit_s = min(settings.timeout_s, deadline - began_at)
        if limit_s <= 0:
            raise out_of_time
        connect_s = min(limit_s, bounds.LONGEST_CONNECT_S)
        url = self._library.base_url.join(settings.reply_path)
        try:
            # This is the library's generic method. The specific ones walk every message,
            # and their types lack fields of compatible servers.
            response = self._library.post(
                str(url),
                body=body,
                cast_to=httpx2.Response,
                options={"timeout": httpx2.Timeout(limit_s, connect=connect_s)},
            )
        except openai.APIStatusError as error:
            response = error.response  # The library raises this for error statuses.
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            is_timeout = isinstance(error, openai.APITimeoutError)
            if is_timeout and time.monotonic() >= deadline:
                raise out_of_time from None
            last_reply_at = self._last_reply_at
            raise connection_error(error, settings, began_at, last_reply_at) from None

        outcome = read_response(response, settings, is_stream_asked=is_stream)
        if isinstance(outcome, Reply):
            self._last_reply_at = time.monotonic()
        return outcome

    def abort_at(self, stop: threading.Event) -> None:
        """Let requests fail, also those in flight, as soon as an event is set."""
        self._http.stop = stop

    def close(self) -> None:
        """Close the connections."""
        self._http.close()


def _refuses_stream(refusal: ErrorReply) -> bool:
    """Return True if an error may say that the server cannot stream: 400, `no stream here`.

    Only what the error says counts. Some servers send back the request, with its `stream`.
    """
    if refusal.status not in _NO_STREAM_STATUSES:
        return False
    texts = (refusal.text, *refusal.codes, *refusal.parameters)
    return any(_STREAM_WORD.search(text) for text in texts)


def _context_tokens_in(fields: Mapping[str, object]) -> int | None:
    """Return the size of the context: `{"max_model_len": 32768}` -> 32768; None without one."""
    for name in _CONTEXT_FIELDS:
        tokens = fields.get(name)
        if isinstance(tokens, int) and tokens > 0 and tokens is not True:
            return tokens
    return None
