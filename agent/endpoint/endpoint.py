"""Any OpenAI-compatible endpoint as a model; the one file that talks to it and translates its errors.

Every failure is one line, every reply is bounded in time and size, and no text contains a key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

import httpx2

from agent.endpoint.dialect import form_of, lesson_of, news_of, plain_messages
from agent.endpoint.endpoint_errors import (
    REPLY_BYTES,
    ErrorReply,
    connection_error,
    error_reply_inside,
    error_reply_of,
    said_text,
)
from agent.endpoint.endpoint_settings import OPENAI_URL, Api, EndpointSettings
from agent.endpoint.protocols import chat_body, fault_of, reply_of, reply_of_response, responses_body
from agent.http import SHORTEST_SECRET, Exchange, HttpConnections, HttpError
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

if TYPE_CHECKING:
    import openai

_PATHS = {Api.CHAT: b"chat/completions", Api.RESPONSES: b"responses"}
_WITH_NOTHING_SAID = ("length", "content_filter")
"""Finish reasons of replies that may be empty: asking again would not help."""
LIST_S = 5.0
"""Seconds that the list of models may take."""
IDLE_S = 5.0
"""Seconds that an idle connection is kept."""


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
        self._address = ""
        """The whole address, because the library would join two parts for every request; set with its client."""
        self._http = _Client(settings.timeout_s)
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
                    max_retries=0,  # `ModelRetry` retries
                    timeout=self._http.timeout,
                    http_client=self._http,
                    default_headers=dict(self._settings.headers),
                )
                base = self._opened.base_url
                self._address = str(base.copy_with(raw_path=base.raw_path + _PATHS[self._settings.api]))
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
        headers = {"authorization": f"Bearer {self._settings.api_key or 'none'}", **self._settings.headers}
        deadline, text = time.monotonic() + LIST_S, b""
        try:
            with httpx2.stream("GET", f"{self._url.rstrip('/')}/models", headers=headers, timeout=LIST_S) as response:
                for part in response.iter_bytes():
                    text += part
                    if len(text) > REPLY_BYTES or time.monotonic() > deadline:
                        return ()
            return tuple(str(model["id"]) for model in json.loads(text)["data"])
        except (httpx2.HTTPError, OSError, ValueError, TypeError, LookupError, RecursionError):
            return ()

    def _body(self, request: ModelRequest, mode: ReplyMode, known: Capabilities) -> dict[str, object]:
        make = responses_body if self._settings.api is Api.RESPONSES else chat_body
        if mode is not ReplyMode.TOOL:
            request = replace(request, messages=plain_messages(request.messages))
        return make(self._settings, request, mode, known)

    def _ask(self, body: Mapping[str, object]) -> Reply | ErrorReply:
        import openai

        settings = self._settings
        if time.monotonic() >= DEADLINE.get():
            raise self._out_of_time()
        try:
            # The documented untyped call: the typed one walks every message on every request.
            client = self._client
            response = client.post(self._address, body=body, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            response = error.response
        except (HttpError, openai.OpenAIError, httpx2.HTTPError) as error:
            if isinstance(error, HttpError) and error.fault == "timed out" and time.monotonic() >= DEADLINE.get():
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
        return reply

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


class _Client(httpx2.Client):
    """Makes the library's requests over kept connections and reads each reply to its end, within bounds.

    A request is sent as the library gives it: without cookies, redirects and hooks, which would double the cost.
    """

    def __init__(self, timeout_s: float) -> None:
        """Raises `ValueError` if the environment names a proxy or certificates that cannot be used."""
        super().__init__(transport=httpx2.BaseTransport(), timeout=timeout_s)
        self._timeout_s = timeout_s
        self._connections = HttpConnections(idle_s=IDLE_S, reply_bytes=REPLY_BYTES)

    def build_request(self, method: str, url: httpx2.URL | str, **parts: Any) -> httpx2.Request:
        """Return a request with the library's headers and content."""
        headers = [*parts.get("headers", ()), ("Accept-Encoding", "gzip")]
        return httpx2.Request(method, url, headers=headers, content=parts.get("content"))

    def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Make one exchange. Raises `HttpError`."""
        added = (b"host", b"content-length")
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in added]
        url, body = str(request.url), request.read()
        limit_s = min(self._timeout_s, DEADLINE.get() - time.monotonic())
        # Repeating a request changes nothing at an endpoint.
        reply = Exchange(self._connections, url, headers, body, limit_s, is_repeatable=True).finish()
        try:
            content = reply.unpacked(REPLY_BYTES)
        except ValueError as error:
            raise HttpError(fault="lost", text=str(error), may_have_happened=True) from error
        told = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in reply.headers.items()
            if name != "content-encoding"
        ]
        return httpx2.Response(reply.status, headers=told, content=content, request=request)

    def close(self) -> None:
        """Close the connections."""
        self._connections.close()
