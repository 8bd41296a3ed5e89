"""Any OpenAI-compatible endpoint as a model; the one file that talks to it and translates its errors.

Every failure is one line, every reply is bounded in time and size, and no text holds a key.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import httpx2
from pydantic import ValidationError

from agent.model.completion import reply_of, well_formed
from agent.model.connection import SHORTEST_SECRET, connection_error, open_client
from agent.model.dialect import Dialect, ReplyMode
from agent.model.error_reply import ErrorReply, error_reply_inside, error_reply_of, said_text
from agent.model.model_protocol import Message, ModelError, Reply
from agent.model.reply_parser import SCHEMA

if TYPE_CHECKING:
    import openai

OPENAI_URL: Final = "https://api.openai.com/v1"


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key is a secret: it is shown nowhere."""

    model: str
    base_url: str | None = None
    """None for the vendor's own."""
    api_key: str = ""
    reply_mode: ReplyMode = ReplyMode.SCHEMA
    max_output_tokens: int | None = None
    temperature: float | None = None
    timeout_s: float = 180.0
    """Seconds that one request may take."""

    def __repr__(self) -> str:
        return f"EndpointSettings(model={self.model!r}, base_url={self.shown_url!r})"

    @property
    def shown_url(self) -> str:
        """The address without what may be secret in it: user, password, query."""
        url = httpx2.URL(self.base_url or OPENAI_URL)
        return str(url.copy_with(username=None, password=None, query=None, fragment=None))


class Endpoint:
    """A model at an OpenAI-compatible endpoint."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._where = f"the model endpoint {settings.shown_url}"
        self._dialect = Dialect(reply_mode=settings.reply_mode)
        self._lock = threading.Lock()
        url = httpx2.URL(settings.base_url or OPENAI_URL)
        secrets = {settings.api_key, url.password, url.username}
        self._secrets = sorted((each for each in secrets if len(each) >= SHORTEST_SECRET), key=len, reverse=True)
        self._url = str(url)
        self._completions_url = ""
        """Whole, because the library would parse and join two addresses for every request; set with its client."""
        self._http = open_client(settings.timeout_s)
        self._opened: openai.OpenAI | None = None
        # The import takes most of a second, which a run spends on its benchmark meanwhile.
        threading.Thread(target=_import_openai, name="import of openai", daemon=True).start()

    @property
    def name(self) -> str:
        """The model's id at its endpoint."""
        return self._settings.model

    def close(self) -> None:
        """Give back the connections."""
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
                )
                base = self._opened.base_url
                self._completions_url = str(base.copy_with(raw_path=base.raw_path + b"chat/completions"))
            return self._opened

    def complete(self, messages: Sequence[Message], schema: Mapping[str, object], role: str) -> Reply:
        """Ask for one reply; in a plainer form if the endpoint refuses that of the request. Raises `ModelError`."""
        del role
        notices: list[str] = []
        while True:
            dialect = self._dialect
            outcome = self._ask(dialect, messages, schema)
            if isinstance(outcome, Reply):
                return outcome.model_copy(update={"notices": tuple(notices)})
            plainer = dialect.plainer(outcome.status, outcome.text)
            if plainer is None:
                raise outcome.error(self._where, self.name)
            with self._lock:
                if self._dialect is dialect:
                    self._dialect = plainer
                    said = f"({outcome.status}: {outcome.text})"
                    notices.append(f"{self._where} {plainer.difference(dialect)} {said}")

    def check(self) -> tuple[str, ...]:
        """Ask once, so that a wrong key, model or address shows before a run starts; return what the user should know.

        Raises `ModelError`.
        """
        question = Message(role="user", content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}')
        return self.complete([question], SCHEMA, "check").notices

    def _ask(self, dialect: Dialect, messages: Sequence[Message], schema: Mapping[str, object]) -> Reply | ErrorReply:
        import openai

        settings = self._settings
        body: dict[str, object] = {"model": settings.model, "messages": [_sendable(each) for each in messages]}
        body.update(dialect.fields(schema, settings.max_output_tokens))
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        try:
            # The documented untyped call: the typed one walks every message on every request.
            client = self._client
            response = client.post(self._completions_url, body=body, cast_to=httpx2.Response)
        except openai.APIStatusError as error:
            response = error.response
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            raise connection_error(
                error, where=self._where, timeout_s=settings.timeout_s, clean=self._without_secrets
            ) from None
        if response.status_code >= 300:
            return error_reply_of(response.status_code, response.headers, self._without_secrets(response.text))
        content = response.content
        for each in self._secrets:
            content = content.replace(each.encode(), b"[key]")
        try:
            return reply_of(content)
        except ValidationError as error:
            text = self._without_secrets(response.text)
            refusal = error_reply_inside(text)
            if refusal is None:
                raise self._no_completion(response.status_code, text, error) from None
            return refusal

    def _without_secrets(self, text: str) -> str:
        for each in self._secrets:
            text = text.replace(each, "[key]")
        return text

    def _no_completion(self, status: int, text: str, error: ValidationError) -> ModelError:
        fault = error.errors()[0]
        at = ".".join(str(each) for each in fault["loc"]) or "body"
        said = repr(said_text(text)) if text.strip() else "an empty body"
        msg = (
            f"{self._where} answered {status} with something that is no chat completion ({at}: {fault['msg']}): {said}"
            "; is OPENAI_BASE_URL the address of the API, with its /v1?"
        )
        # A completion without a usable choice is this conversation's misfortune; anything else is no such API.
        return ModelError(msg, retryable=True, affects_all=not text.lstrip().startswith("{") or '"choices"' not in text)


def _import_openai() -> None:
    import openai  # noqa: F401 - imported ahead of its first use, which is slow


def _sendable(message: Message) -> Message:
    return {"role": message["role"], "content": well_formed(message["content"])}
