"""Any OpenAI-compatible endpoint as a model; the one file that talks to it and translates its errors.

Every failure is one line, every reply is bounded in time and size, and no text contains a key.
"""

from __future__ import annotations

import json
import math
import ssl
import threading
import time
import zlib
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import httpcore2
import httpx2

from agent.endpoint import endpoint_errors
from agent.endpoint.dialect import form_of, lesson_of, news_of, plain_messages
from agent.endpoint.endpoint_errors import (
    ErrorReply,
    connection_error,
    error_reply_inside,
    error_reply_of,
    said_text,
)
from agent.endpoint.protocols import (
    Api,
    EndpointSettings,
    chat_body,
    counted,
    fault_of,
    reply_of,
    reply_of_response,
    responses_body,
)
from agent.model.model_protocol import (
    DEADLINE,
    AnsweringModel,
    BadReply,
    Capabilities,
    Message,
    ModelRequest,
    OutOfTime,
    Reply,
    ReplyMode,
)
from agent.model.wrapped_models import OPENAI_URL

if TYPE_CHECKING:
    import openai

CONNECT_TIMEOUT_S: Final = 10.0
"""Max seconds to open a connection, if the call's deadline is not earlier."""
IDLE_S: Final = 5.0
"""Seconds that an idle connection is kept."""
CALL_ENDS_AT: Final[ContextVar[float]] = ContextVar("CALL_ENDS_AT", default=math.inf)
"""The deadline of the call that this thread makes, by `time.monotonic`."""


class ReplyTooLong(httpx2.TransportError):
    """The reply is longer than a reply may be."""


def bounded_client() -> httpx2.Client:
    """Return a client that keeps no cookies and follows no redirects.

    Raises `ValueError` with one line if the environment names a proxy or certificates that cannot be used.
    """
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=IDLE_S)
    try:
        client = httpx2.Client(
            limits=limits,
            headers={"accept-encoding": "gzip"},
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        )
    except OSError as error:
        msg = f"the certificates that SSL_CERT_FILE names cannot be used: {error.strerror}"
        raise ValueError(msg) from error
    except (ValueError, ImportError, httpx2.InvalidURL):
        msg = "the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names cannot be used: it takes http://HOST:PORT"
        raise ValueError(msg) from None
    client._transport = _BoundedTransport(client._transport)
    client._mounts = {
        pattern: transport and _BoundedTransport(transport) for pattern, transport in client._mounts.items()
    }
    return client


class _BoundedTransport(httpx2.BaseTransport):
    """Reads each reply to its end, unpacked, within the bound of its bytes."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        inner._pool._network_backend = _DeadlineBackend()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        response = self._inner.handle_request(request)
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        try:
            if coding not in ("", "identity", "gzip", "x-gzip"):
                msg = f"its content-encoding is {coding[:40]!r}, and gzip was asked for"
                raise httpx2.DecodingError(msg)
            content = _bounded(response.stream, most_bytes=endpoint_errors.REPLY_BYTES)
            if coding.endswith("gzip"):
                content = _unpacked(content, most_bytes=endpoint_errors.REPLY_BYTES)
        finally:
            response.close()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() != b"content-encoding"]
        return httpx2.Response(response.status_code, headers=headers, content=content)

    def close(self) -> None:
        self._inner.close()


def _bounded(stream: Any, most_bytes: int) -> bytes:
    content = bytearray()
    for part in stream:
        content += part
        if len(content) > most_bytes:
            msg = "the reply is too long"
            raise ReplyTooLong(msg)
    return bytes(content)


def _unpacked(packed: bytes, most_bytes: int) -> bytes:
    inflate = zlib.decompressobj(wbits=31)
    try:
        content = inflate.decompress(packed, most_bytes)
    except zlib.error as error:
        raise httpx2.DecodingError(str(error)) from error
    if inflate.eof:
        return content
    msg = f"it is longer than {most_bytes} bytes" if inflate.unconsumed_tail else "it was cut off"
    raise httpx2.DecodingError(msg)


class _DeadlineBackend(httpcore2.SyncBackend):
    """Connections whose every read ends at the call's deadline; the library bounds each read alone."""

    def connect_tcp(self, *given: Any, **more: Any) -> httpcore2.NetworkStream:
        return _DeadlineStream(super().connect_tcp(*given, **more))


class _DeadlineStream(httpcore2.NetworkStream):
    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        left_s = CALL_ENDS_AT.get() - time.monotonic()
        if left_s <= 0:
            raise httpcore2.ReadTimeout
        return self._inner.read(max_bytes, min(left_s, math.inf if timeout is None else timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _DeadlineStream(self._inner.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)


SHORTEST_SECRET = 6
"""Min characters of a secret: a shorter key is a placeholder, and removing it would garble texts."""
_WITH_NOTHING_SAID = ("length", "content_filter")
"""Finish reasons of replies that may be empty: asking again would not help."""
LIST_S = 5.0
"""Seconds that the list of models may take."""


class Endpoint(AnsweringModel):
    """A model at an OpenAI-compatible endpoint."""

    def __init__(self, settings: EndpointSettings, known: Capabilities | None = None) -> None:
        """`known` is what was learned about the endpoint before. Raises `ValueError` if the environment names a proxy
        or certificates that cannot be used."""
        self.name = settings.model
        self._settings = settings
        self._where = f"the model endpoint {settings.shown_url}"
        self._known = known or Capabilities(
            endpoint=settings.shown_url,
            model=settings.model,
            length_field="max_output_tokens" if settings.api is Api.RESPONSES else "max_tokens",
        )
        self._lock = threading.Lock()
        url = httpx2.URL(settings.base_url or OPENAI_URL)
        secrets = {settings.api_key, url.password, url.username, *settings.secrets}
        self._secrets = sorted((secret for secret in secrets if len(secret) >= SHORTEST_SECRET), key=len, reverse=True)
        self._url = str(url)
        self._http = bounded_client()
        self._opened: openai.OpenAI | None = None
        # The import takes most of a second, in which a run prepares its benchmark.
        threading.Thread(target=import_module, args=("openai",), name="import of openai", daemon=True).start()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @property
    def _client(self) -> openai.OpenAI:
        """The library's client, made at the first request."""
        with self._lock:
            if self._opened is None:
                import openai

                self._opened = openai.OpenAI(
                    api_key=self._settings.api_key or "none",
                    base_url=self._url,
                    # `ModelRetry` retries: within the step's patience and the run's budget, told in the journal.
                    max_retries=0,
                    http_client=self._http,
                    default_headers=dict(self._settings.headers),
                )
            return self._opened

    def reply_to(self, request: ModelRequest) -> Reply:
        """Ask for one reply, and again without parts of the request that the endpoint refuses. Raises `ModelError`."""
        notices: list[str] = []
        learned = None
        while True:
            known, preferred = self._known, self._settings.reply_mode
            mode = form_of(request, preferred, known)
            body = self._body(request, mode, known)
            outcome = self._ask(body)
            if isinstance(outcome, Reply):
                told = {"notices": tuple(notices), "learned": learned, "reply_mode": str(mode)}
                return outcome.model_copy(update=told)
            lesson = lesson_of(outcome, body, request=request, preferred=preferred, known=known)
            if lesson is None:
                raise outcome.error(self._where, self.name)
            with self._lock:
                if self._known is known:
                    self._known = learned = lesson
                    following = form_of(request, preferred, lesson)
                    change = "" if following is mode else f"; asking in mode {following} from here on"
                    notices.append(f"{self._where} {news_of(lesson, known)}{change} {outcome.shown}")

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Ask once for an object of `schema` that does nothing: a probe, never part of a run. Raises `ModelError`."""
        question = 'Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}'
        return self.complete([Message(role="user", content=question)], "check", schema)

    def listed_models(self) -> tuple[str, ...]:
        """Return the ids of the models that the endpoint lists; empty if it does not list any in time."""
        import openai

        failures = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, ValueError, TypeError, LookupError)
        CALL_ENDS_AT.set(time.monotonic() + LIST_S)
        try:
            response = self._client.models.with_raw_response.list(timeout=LIST_S).http_response
            return tuple(str(model["id"]) for model in json.loads(response.content)["data"])
        except (*failures, RecursionError):
            return ()

    def _body(self, request: ModelRequest, mode: ReplyMode, known: Capabilities) -> dict[str, object]:
        make = responses_body if self._settings.api is Api.RESPONSES else chat_body
        if mode is not ReplyMode.TOOL:
            request = replace(request, messages=plain_messages(request.messages))
        return make(self._settings, request, mode, known)

    def _ask(self, body: Mapping[str, object]) -> Reply | ErrorReply:
        import openai

        settings = self._settings
        limit_s = min(settings.timeout_s, DEADLINE.get() - time.monotonic())
        if limit_s <= 0:
            raise self._out_of_time()
        CALL_ENDS_AT.set(time.monotonic() + limit_s)
        try:
            response = self._post(dict(body), httpx2.Timeout(limit_s, connect=min(limit_s, CONNECT_TIMEOUT_S)))
        except openai.APIStatusError as error:
            response = error.response
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            if isinstance(error, openai.APITimeoutError) and time.monotonic() >= DEADLINE.get():
                raise self._out_of_time() from None
            raise connection_error(
                error, where=self._where, timeout_s=settings.timeout_s, clean=self._without_secrets
            ) from None
        if response.status_code >= 300:
            return error_reply_of(response.status_code, response.headers, self._without_secrets(response.text))
        content = response.content
        for secret in self._secrets:
            content = content.replace(secret.encode(), b"[key]")
        text = content.decode(errors="replace")
        refusal = error_reply_inside(text)
        if refusal is not None:
            return refusal
        try:
            is_response = settings.api is Api.RESPONSES
            reply = reply_of_response(content) if is_response else reply_of(content, settings.thinking_back)
        except ValueError as error:
            raise self._no_completion(response.status_code, text, fault_of(error)) from None
        if not (reply.text.strip() or reply.tool_calls or reply.finish_reason in _WITH_NOTHING_SAID):
            thought = " but thoughts" if reply.reasoning else ""
            msg = f"the model's reply is empty: it holds no text and no tool call{thought}, from {self._where}"
            raise BadReply(msg)
        return reply.model_copy(update={"usage": counted(reply, len(response.request.content))})

    def _post(self, body: dict[str, Any], timeout: httpx2.Timeout) -> httpx2.Response:
        """Return the library's raw response, because servers that are only compatible send what its types lack."""
        model = body.pop("model")
        # What is given by name is copied and checked message by message, which takes three times as long as the rest.
        if self._settings.api is Api.RESPONSES:
            responses = self._client.responses.with_raw_response
            return responses.create(model=model, input="", extra_body=body, timeout=timeout).http_response
        completions = self._client.chat.completions.with_raw_response
        return completions.create(model=model, messages=(), extra_body=body, timeout=timeout).http_response

    def _out_of_time(self) -> OutOfTime:
        msg = f"{self._where} had not answered when the trial's time was over (--trial-time)"
        return OutOfTime(msg, retryable=False)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    def _no_completion(self, status: int, text: str, fault: str) -> BadReply:
        said = repr(said_text(text)) if text.strip() else "an empty body"
        what = "response" if self._settings.api is Api.RESPONSES else "chat completion"
        # A completion without a usable choice concerns this conversation alone; anything else is not from such an API.
        is_api = text.lstrip().startswith("{") and ('"output"' if what == "response" else '"choices"') in text
        remedy = "" if is_api else "; is OPENAI_BASE_URL the address of the API, with its /v1?"
        msg = f"{self._where} answered {status} with something other than a {what} ({fault}): {said}{remedy}"
        return BadReply(msg, affects_all=not is_api)
