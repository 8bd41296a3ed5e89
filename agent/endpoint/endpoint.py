"""A model at an OpenAI-compatible endpoint.

`Endpoint.reply_to` sends one request and returns the reply. If the endpoint refuses a
part of the request, it sends the request again without that part, and records the
refusal in `Capabilities`. Every failure is a `ModelError` whose message is one line and
never contains a key.

`request_body` builds requests, and `request_form` leaves out what was refused.
`reply_body`, `stream` and `usage` read replies. `error_reply` reads errors, and
`lessons` finds out which part of a request was refused.
`bounded_client` makes the HTTP exchanges, and `connection_error` explains broken ones.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

import httpx2

from controlplane.agent.endpoint.bounded_client import BoundedClient
from controlplane.agent.endpoint.connection_error import connection_error
from controlplane.agent.endpoint.error_reply import (
    UNKNOWN,
    ErrorReply,
    read_error_inside,
    read_error_reply,
)
from controlplane.agent.endpoint.listed_model import ListedModel, listed_model
from controlplane.agent.endpoint.reply_body import REQUIRED_FIELD, reply_of
from controlplane.agent.endpoint.request_form import RequestForm
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.endpoint.stream import StreamedText, whole_completion
from controlplane.agent.endpoint.usage import usage_with_estimates
from controlplane.agent.model import (
    OPENAI_URL,
    BadReply,
    Capabilities,
    Message,
    Model,
    ModelError,
    ModelRequest,
    OutOfTime,
    Reply,
)
from controlplane.sandbox.interface import bounds

if TYPE_CHECKING:
    import openai

MAX_EXCHANGES: Final = 2_000
"""Max requests at a time. Each trial makes one at a time."""
LIST_TIMEOUT_S: Final = 5.0
"""Seconds to wait for the list of models, which is useful but not needed."""
MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder such as `none`. Replacing it everywhere would garble texts."""
NO_STREAM_STATUSES: Final = (400, 404, 415, 422, 501)
"""HTTP statuses with which servers refuse to stream."""

PROBE: Final = Message(
    role="user",
    content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}',
)
"""The message of a small test request. It names the fields
of an action, because the reply may have to fit their schema."""


class Endpoint(Model):
    """A model at an OpenAI-compatible endpoint.

    Created once for a run, and used from the threads of all its trials.
    """

    def __init__(
        self, settings: EndpointSettings, capabilities: Capabilities | None = None
    ) -> None:
        """Prepare the client without connecting.

        `capabilities` is known from earlier requests.

        Raises `ValueError` if the environment variables name a proxy or certificates
        that cannot be used.
        """
        self.name = settings.model
        self._settings = settings
        self._where = f"the model endpoint {settings.shown_url}"
        if capabilities is None:
            is_chat = settings.api == "chat"
            capabilities = Capabilities(
                endpoint=settings.shown_url,
                model=settings.model,
                length_field="max_tokens" if is_chat else "max_output_tokens",
            )
        self._capabilities = capabilities
        self._lock = threading.Lock()
        url = httpx2.URL(settings.base_url or OPENAI_URL)
        self._url = str(url)
        self._secrets = long_secrets(
            {settings.api_key, url.password, url.username, *settings.secrets}
        )
        self.on_text: Callable[[str], None] | None = None
        """If set, replies are streamed, and this gets their text as it arrives.
        It must stay None if several trials run, because their texts would mix."""
        self._http = BoundedClient(exchanges=MAX_EXCHANGES)
        # Importing the library takes most of a second, so it runs while the benchmark is prepared.
        threading.Thread(
            target=import_module, args=("openai",), name="import of openai", daemon=True
        ).start()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @cached_property
    def _client(self) -> openai.OpenAI:
        """The client of OpenAI's library, created at the first request."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._url,
            max_retries=0,  # `PatientModel` retries, within the limits of the step and the run.
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    @cached_property
    def _reply_url(self) -> str:
        """The address to which requests for replies are sent."""
        path = "chat/completions" if self._settings.api == "chat" else "responses"
        return str(self._client.base_url.join(path))

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply. Raises `ModelError`.

        If the endpoint refuses a part of the request, ask again without that part. The
        reply then has a notice for the user, and the capabilities that were learned: what
        the endpoint takes.
        """
        capabilities = self._capabilities
        form = RequestForm.of(request, self._settings, capabilities)
        notices: list[str] = []
        outcome = self._exchange(form.body, request.deadline)
        while isinstance(outcome, ErrorReply):
            lesson = form.lesson_of(outcome)
            if lesson is None:
                raise self._refusal_error(outcome, form)
            further = form.after(lesson)  # the form without the refused part
            if form.lacks_other_mode(further):
                raise outcome.error(self._where, self.name, is_met_by_all=True)

            change = f"{self._where} {lesson.notice}"
            if further.mode is not form.mode:
                change += f"; asking in mode {further.mode} from here on"
            notices.append(f"{change} {outcome.summary}")
            form = further
            outcome = self._exchange(form.body, request.deadline)

        reply = outcome.model_copy(update={"reply_mode": str(form.mode)})
        if notices and self._remember(form.capabilities, capabilities):
            news = {"notices": tuple(notices), "learned": form.capabilities}
            reply = reply.model_copy(update=news)
        return reply

    def _remember(self, learned: Capabilities, known: Capabilities) -> bool:
        """Keep what a request has learned for the next ones. Return True if it is kept.

        `known` are the capabilities with which the request began. If another trial has
        replaced them since, its own stay, and a later request learns the rest again.
        """
        with self._lock:
            if self._capabilities is not known:
                return False
            self._capabilities = learned
            return True

    def _refusal_error(self, refusal: ErrorReply, form: RequestForm) -> ModelError:
        """Return the error of a refused request.

        If the reason is unknown, a small request in the same form is sent as a test. If
        that is refused, too, the error is not due to this trial: all trials meet it. A
        reply to the test costs money, so the error carries it in `paid`.
        """
        if refusal.meaning.name != UNKNOWN:
            return refusal.error(self._where, self.name)

        outcome: Reply | ErrorReply | None = None
        with suppress(ModelError):
            outcome = self._exchange(form.small_body(PROBE), form.request.deadline)
        is_refused_again = (
            isinstance(outcome, ErrorReply) and not outcome.meaning.retryable
        )
        error = refusal.error(self._where, self.name, is_met_by_all=is_refused_again)
        if isinstance(outcome, Reply):
            error.paid = outcome
        return error

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Return the reply to a harmless request, for diagnosis. Raises `ModelError`."""
        return self.complete([PROBE], "check", schema)

    def listed_models(self) -> tuple[ListedModel, ...]:
        """Return the models that the endpoint lists; empty if it lists none in time."""
        import openai

        try:
            response = self._client.models.with_raw_response.list(
                timeout=LIST_TIMEOUT_S
            )
            document = json.loads(response.http_response.content)
            models = [listed_model(entry) for entry in document["data"]]
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL):
            return ()  # no connection, or an error
        except (ValueError, TypeError, LookupError, RecursionError):
            return ()  # not a list of models
        return tuple(model for model in models if model.model_id.isprintable())

    def _exchange(
        self, body: Mapping[str, object], deadline: float
    ) -> Reply | ErrorReply:
        """Send one request.

        Return the reply, or the error with which the endpoint refused it.

        `deadline` is a moment of `time.monotonic`. Raises `ModelError` if the
        connection breaks, or if there is no readable reply by then.
        """
        streamed = self._streamed_response(body, deadline)
        response = self._send(body, deadline) if streamed is None else streamed
        if response.status_code >= 300:
            text = self._without_secrets(response.text)
            return read_error_reply(response.status_code, response.headers, text)

        content = response.content
        if streamed is not None:
            try:
                content = whole_completion(content)
            except ValueError as error:
                raise self._bad_reply(
                    response.status_code, response.text, str(error)
                ) from None
        return self._read_reply(response, content)

    def _streamed_response(
        self, body: Mapping[str, object], deadline: float
    ) -> httpx2.Response | None:
        """Send a request whose reply is streamed, and return the complete response.

        Returns None if nobody wants the text as it arrives, or if the server cannot stream.
        """
        on_text = self.on_text
        if on_text is None or self._settings.api != "chat":
            return None
        streaming = {"stream": True, "stream_options": {"include_usage": True}}
        self._http.on_part = StreamedText(on_text).take
        try:
            response = self._send({**body, **streaming}, deadline)
        finally:
            self._http.on_part = None

        has_refusing_status = response.status_code in NO_STREAM_STATUSES
        if has_refusing_status and "stream" in response.text:
            self.on_text = None  # The server cannot stream, so don't ask it again.
            return None
        return response

    def _send(self, body: Mapping[str, object], deadline: float) -> httpx2.Response:
        """Send a request and return the response, whatever its status.

        Raises `OutOfTime` if the trial's time is over,
        else the error of a broken connection.
        """
        import openai

        limit_s = min(self._settings.timeout_s, deadline - time.monotonic())
        if limit_s <= 0:
            raise self._out_of_time()
        timeouts = httpx2.Timeout(
            limit_s, connect=min(limit_s, bounds.LONGEST_CONNECT_S)
        )

        # This is the library's generic method. The specific ones walk every message,
        # and their types lack fields of compatible servers.
        try:
            return self._client.post(
                self._reply_url,
                body=body,
                cast_to=httpx2.Response,
                options={"timeout": timeouts},
            )
        except openai.APIStatusError as error:
            return error.response
        except openai.APITimeoutError as error:
            if time.monotonic() >= deadline:
                raise self._out_of_time() from None
            raise self._connection_error(error) from None
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise self._connection_error(error) from None

    def _read_reply(
        self, response: httpx2.Response, content: bytes
    ) -> Reply | ErrorReply:
        """Read the body of a response with a success status. Some servers send errors with it."""
        text = self._without_secrets(content.decode(errors="replace"))
        # Parsing takes long, so only a text with this word is parsed to look for an error.
        if "error" in text:
            refusal = read_error_inside(text)
            if refusal is not None:
                return refusal
        try:
            reply = reply_of(
                text.encode(), self._settings.api, self._settings.thinking_back
            )
        except ValueError as error:
            raise self._bad_reply(response.status_code, text, str(error)) from None

        sent_bytes = len(response.request.content)
        usage = usage_with_estimates(
            reply, sent_bytes, self._settings.max_output_tokens
        )
        return reply.model_copy(update={"usage": usage})

    def _connection_error(self, error: Exception) -> ModelError:
        return connection_error(
            error,
            where=self._where,
            timeout_s=self._settings.timeout_s,
            clean=self._without_secrets,
        )

    def _out_of_time(self) -> OutOfTime:
        msg = f"{self._where} had not answered when the trial's time was over (--trial-time)"
        return OutOfTime(msg)

    def _bad_reply(self, status: int, text: str, fault: str) -> BadReply:
        """Return the error for a reply with a success status that does not fit its API.

        Args:
            status: The HTTP status.
            text: The body.
            fault: What is wrong with the body.
        """
        shown = "an empty body"
        if text.strip():
            shown = repr(read_error_reply(status, {}, text).line)
        expected = "chat completion" if self._settings.api == "chat" else "response"

        # A completion without a usable choice affects only this conversation. A body
        # without the API's required field does not come from this API, so all trials
        # meet the error.
        is_object = text.lstrip("\ufeff \n").startswith("{")
        is_from_api = is_object and f'"{REQUIRED_FIELD[self._settings.api]}"' in text
        remedy = ""
        if text.startswith(("data:", "event:")):
            remedy = "; the server streams, which was not asked for: switch streaming off there"
        elif not is_from_api:
            remedy = "; is OPENAI_BASE_URL the address of the API, with its /v1?"

        msg = f"{self._where} answered {status} with something other than a {expected} "
        msg += f"({fault}): {shown}{remedy}"
        return BadReply(msg, retryable=True, affects_all=not is_from_api)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text


def long_secrets(secrets: set[str]) -> list[str]:
    """Return the secrets to remove from texts, longest first because one may contain another."""
    secrets_to_remove = [
        secret for secret in secrets if len(secret) >= MIN_SECRET_CHARS
    ]
    return sorted(secrets_to_remove, key=len, reverse=True)
