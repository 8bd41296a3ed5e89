"""Any OpenAI-compatible endpoint as a model; the one file that talks to it and translates its errors.

Every failure is one line, every reply is bounded in time and size, and no text contains a key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Final

import httpx2

from agent.endpoint.endpoint_errors import ErrorReply, error_reply_inside, error_reply_of, lesson_of
from agent.endpoint.received_reply import NEEDED, counted, reply_of, text_feed, whole_completion
from agent.endpoint.request_body import EndpointSettings, body_of, form_of
from agent.http_client import BoundedClient, connection_error
from agent.model import DEADLINE, Capabilities, Message, Model, ModelError, ModelRequest, OutOfTime, Reply, ReplyMode
from agent.model.model_protocol import BadReply
from agent.model.wrapped_models import OPENAI_URL

if TYPE_CHECKING:
    import openai

PROBE: Final = Message(role="user", content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}')
"""A question that does nothing."""


class Endpoint(Model):
    """A model at an OpenAI-compatible endpoint."""

    def __init__(self, settings: EndpointSettings, capabilities: Capabilities | None = None) -> None:
        """`capabilities` is what was learned about the endpoint before. Raises `ValueError` if the environment names a
        proxy or certificates that cannot be used."""
        self.name = settings.model
        self._settings = settings
        self._where = f"the model endpoint {settings.shown_url}"
        self._capabilities = capabilities or Capabilities(
            endpoint=settings.shown_url,
            model=settings.model,
            length_field="max_output_tokens" if settings.api == "responses" else "max_tokens",
        )
        self._lock = threading.Lock()
        url = httpx2.URL(settings.base_url or OPENAI_URL)
        secrets = {settings.api_key, url.password, url.username, *settings.secrets}
        # Min characters of a secret: a shorter key is a placeholder, and removing it would garble texts.
        self._secrets = sorted((secret for secret in secrets if len(secret) >= 6), key=len, reverse=True)
        self._url = str(url)
        self.on_text: Callable[[str], None] | None = None
        """If set, replies are streamed where the endpoint can, and it gets their text as it comes; for one trial."""
        self._http = BoundedClient(exchanges=2_000)  # At a time; a trial makes one.
        # The import takes most of a second, in which a run prepares its benchmark.
        threading.Thread(target=import_module, args=("openai",), name="import of openai", daemon=True).start()

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    @cached_property
    def _client(self) -> openai.OpenAI:
        """The library's client, made at the first request."""
        import openai

        return openai.OpenAI(
            api_key=self._settings.api_key or "none",
            base_url=self._url,
            # `ModelRetry` retries: within the step's patience and the run's budget, told in the journal.
            max_retries=0,
            http_client=self._http,
            default_headers=dict(self._settings.headers),
        )

    def reply_to(self, request: ModelRequest) -> Reply:
        """Ask for one reply, and again without parts of the request that the endpoint refuses. Raises `ModelError`.

        What a refusal teaches counts if the request without that part succeeds.
        """
        notices: list[str] = []
        known = capabilities = self._capabilities
        preferred = self._settings.reply_mode
        while True:
            mode = form_of(request, preferred, capabilities)
            body = body_of(self._settings, request, mode, capabilities)
            outcome = self._ask(body)
            if isinstance(outcome, Reply):
                break
            lesson = lesson_of(outcome, body, mode, capabilities)
            following = form_of(request, preferred, lesson[0]) if lesson else mode
            if lesson is None:
                raise self._error(outcome, request, mode, capabilities)
            if not lesson[0].takes_tools and capabilities.takes_tools and following is mode:
                # Only the solver can change a request that has no other form.
                raise outcome.error(self._where, self.name, is_met_by_all=True)
            change = "" if following is mode else f"; asking in mode {following} from here on"
            notices.append(f"{self._where} {lesson[1]}{change} {outcome.shown}")
            capabilities = lesson[0]
        additions: dict[str, object] = {"reply_mode": str(mode)}
        with self._lock:
            if capabilities is not known and self._capabilities is known:
                self._capabilities = capabilities
                additions |= {"notices": tuple(notices), "learned": capabilities}
        return outcome.model_copy(update=additions)

    def _error(
        self, refusal: ErrorReply, request: ModelRequest, mode: ReplyMode, capabilities: Capabilities
    ) -> ModelError:
        """Return the error of a refusal. If its reason is unknown, a small request of the same form shows whether every
        trial meets it."""
        if refusal.meaning.name != "unknown":
            return refusal.error(self._where, self.name)
        system = [message for message in request.messages if message["role"] == "system"]
        probe = replace(request, messages=[*system, PROBE])
        outcome: object = None
        with suppress(ModelError):
            outcome = self._ask(body_of(self._settings, probe, mode, capabilities))
        is_met_by_all = isinstance(outcome, ErrorReply) and not outcome.meaning.retryable
        error = refusal.error(self._where, self.name, is_met_by_all=is_met_by_all)
        error.paid = outcome if isinstance(outcome, Reply) else None
        return error

    def check(self, schema: Mapping[str, object]) -> Reply:
        """Ask once for an object of `schema` that does nothing: a probe, never part of a run. Raises `ModelError`."""
        return self.complete([PROBE], "check", schema)

    def listed_models(self) -> tuple[str, ...]:
        """Return the ids of the models that the endpoint lists; empty if it does not list any in time."""
        import openai

        failures = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, ValueError, TypeError, LookupError)
        try:
            response = self._client.models.with_raw_response.list(timeout=5.0).http_response
            names = (str(model["id"]) for model in json.loads(response.content)["data"])
            return tuple(name for name in names if name.isprintable())
        except (*failures, RecursionError):
            return ()

    def _ask(self, body: Mapping[str, object]) -> Reply | ErrorReply:
        import openai

        settings = self._settings
        path = "responses" if settings.api == "responses" else "chat/completions"
        limit_s = min(settings.timeout_s, DEADLINE.get() - time.monotonic())
        if limit_s <= 0:
            raise self._out_of_time()
        streams = self.on_text is not None and settings.api == "chat"
        streamed = {"stream": True, "stream_options": {"include_usage": True}} if streams else {}
        self._http.on_part = text_feed(self.on_text) if streams and self.on_text else None
        limits = httpx2.Timeout(limit_s, connect=min(limit_s, 10.0))
        try:
            # The method of a resource would walk every message, and its types lack what compatible servers send.
            response = self._client.post(
                str(self._client.base_url.join(path)),
                body={**body, **streamed},
                cast_to=httpx2.Response,
                options={"timeout": limits},
            )
        except openai.APIStatusError as error:
            if streams and error.response.status_code in (400, 404, 415, 422, 501) and "stream" in error.response.text:
                self.on_text = None  # It cannot.
                return self._ask(body)
            response = error.response
        except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            if isinstance(error, openai.APITimeoutError) and time.monotonic() >= DEADLINE.get():
                raise self._out_of_time() from None
            raise connection_error(
                error, where=self._where, timeout_s=settings.timeout_s, clean=self._without_secrets
            ) from None
        if response.status_code >= 300:
            return error_reply_of(response.status_code, response.headers, self._without_secrets(response.text))
        try:
            content = whole_completion(response.content) if streams else response.content
        except ValueError as error:
            raise self._no_completion(response.status_code, response.text, str(error)) from None
        text = self._without_secrets(content.decode(errors="replace"))
        if "error" in text and (refusal := error_reply_inside(text)):
            return refusal
        try:
            reply = reply_of(text.encode(), settings.api, settings.thinking_back)
        except ValueError as error:
            raise self._no_completion(response.status_code, text, str(error)) from None
        usage = counted(reply, len(response.request.content), settings.max_output_tokens)
        return reply.model_copy(update={"usage": usage})

    def _out_of_time(self) -> OutOfTime:
        msg = f"{self._where} had not answered when the trial's time was over (--trial-time)"
        return OutOfTime(msg)

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return text

    def _no_completion(self, status: int, text: str, fault: str) -> BadReply:
        said = repr(error_reply_of(status, {}, text).line) if text.strip() else "an empty body"
        needed = NEEDED[self._settings.api]
        what = "chat completion" if needed == "choices" else "response"
        # A completion without a usable choice concerns this conversation alone; anything else is not from such an API.
        is_api = text.lstrip("\ufeff \n").startswith("{") and f'"{needed}"' in text
        remedy = "" if is_api else "; is OPENAI_BASE_URL the address of the API, with its /v1?"
        if text.startswith(("data:", "event:")):
            remedy = "; the server streams, which was not asked for: switch streaming off there"
        msg = f"{self._where} answered {status} with something other than a {what} ({fault}): {said}{remedy}"
        return BadReply(msg, retryable=True, affects_all=not is_api)
