"""The settings of one model at one endpoint: its address, the key, what each request asks for.

The user sets them, for example on the command line:
`EndpointSettings("qwen3", base_url="http://127.0.0.1:8080/v1", temperature=0.2)`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import httpx2

from controlplane.agent.model import OPENAI_URL, ReplyMode

Api: TypeAlias = Literal["chat", "responses"]
"""The protocol of requests: chat completions, or OpenAI's Responses API."""

ThinkingBack: TypeAlias = Literal["auto", "reasoning_content", "none"]
"""The part of a model's thinking that is sent back with the model's own messages.

- `auto`: what the vendor asks for: the reasoning items of the Responses API, OpenRouter's
  reasoning details, Gemini's signatures. All of them ask for it only with tool calls.
- `reasoning_content`: the whole text, with every message, for models that continue
  their thinking from turn to turn.
- `none`: nothing.
"""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key and the headers are secrets and are never shown."""

    model: str
    base_url: str | None = field(default=None, repr=False)
    """None for OpenAI's own address."""
    api_key: str = field(default="", repr=False)
    key_variable: str = "OPENAI_API_KEY"
    """The environment variable that has the key, for messages about it."""
    api: Api = "chat"
    reply_mode: ReplyMode | None = None
    """None for the best mode that the endpoint accepts."""
    # The parameters of each request. None or empty leaves one to the endpoint.
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str = ""
    thinking_back: ThinkingBack = "auto"
    timeout_s: float = 180.0
    """Seconds that one request may take."""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Further headers of every request."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values of `headers` that are keys. They are removed
    from the endpoint's error texts, like the key itself."""
    body: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Further fields of every request's body; they take precedence."""

    @property
    def shown_url(self) -> str:
        """The address without the parts that may be secret: user, password, query."""
        url = httpx2.URL(self.base_url or OPENAI_URL)
        return str(
            url.copy_with(username=None, password=None, query=None, fragment=None)
        )

    @property
    def shown_name(self) -> str:
        """The endpoint in messages for the user: `the model endpoint http://127.0.0.1:8080`."""
        return f"the model endpoint {self.shown_url}"

    @property
    def reply_path(self) -> str:
        """The path, below the address, to which requests for replies are sent."""
        return "chat/completions" if self.api == "chat" else "responses"


# Reads an endpoint's list of models (`/models`), with the size of each model's context.
#
# The user can choose among the models. Servers give the size in different fields:
#
#     {"data": [{"id": "qwen3", "max_model_len": 32768}, {"id": "glm"}]}
#         -> ListedModel("qwen3", 32768), ListedModel("glm")

_CONTEXT_FIELDS: Final = (
    "n_ctx",  # llama.cpp, inside of `meta`
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # Mistral
)
"""The fields in which servers give the size of a model's context in tokens."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that an endpoint lists."""

    model_id: str
    context_tokens: int | None = None
    """The size of the context, for request and reply
    together; None if the list does not give it."""


def listed_models(content: bytes) -> tuple[ListedModel, ...]:
    """Return the models of a list; empty if it cannot be read.

    {"data": [{"id": "qwen3"}, {"id": "glm"}]}  -> two models
    """
    try:
        models = [listed_model(entry) for entry in json.loads(content)["data"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return ()
    return tuple(model for model in models if model.model_id.isprintable())


def listed_model(entry: Mapping[str, Any]) -> ListedModel:
    """Return the model of an entry.

    Raises `LookupError` or `TypeError` for anything else.

    {"id": "qwen3", "max_model_len": 32768}   -> ListedModel("qwen3", 32768)
    {"id": "qwen3", "meta": {"n_ctx": 8192}}  -> ListedModel("qwen3", 8192)
    """
    fields = dict(entry)
    meta = fields.get("meta")
    if isinstance(meta, dict):
        fields.update(meta)  # llama.cpp has the size there.
    return ListedModel(str(entry["id"]), _context_tokens_in(fields))


def _context_tokens_in(fields: Mapping[str, Any]) -> int | None:
    """Return the size of the context: `{"max_model_len": 32768}` -> 32768; None without one."""
    for name in _CONTEXT_FIELDS:
        tokens = fields.get(name)
        if type(tokens) is int and tokens > 0:  # `True` is not a size.
            return tokens
    return None


# Removes keys and passwords from texts that the user may see.
#
# Errors are shown and recorded, and some servers repeat the key in them:
#
#     Incorrect API key provided: sk-123456   ->   Incorrect API key provided: [key]

_MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder such as `none`. Replacing it everywhere would garble texts."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys and passwords of one endpoint."""

    texts: tuple[str, ...]
    """The secrets, longest first because one may contain another."""

    @classmethod
    def of(cls, settings: EndpointSettings) -> Secrets:
        """Return the secrets in the settings."""
        url = httpx2.URL(settings.base_url or "")
        texts = {settings.api_key, url.password, url.username, *settings.secrets}
        long_texts = [text for text in texts if len(text) >= _MIN_SECRET_CHARS]
        return cls(tuple(sorted(long_texts, key=len, reverse=True)))

    def removed_from(self, text: str) -> str:
        """Return a text with `[key]` in place of each secret."""
        for secret in self.texts:
            text = text.replace(secret, "[key]")
        return text
