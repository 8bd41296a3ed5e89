"""The settings of one model at one endpoint: its address, the key, what each request asks for.

The user sets them, for example on the command line:
`EndpointSettings("qwen3", base_url="http://127.0.0.1:8080/v1", temperature=0.2)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

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

_MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder such as `none`. Replacing it everywhere would garble texts."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key, and the headers that are read from variables, are never shown."""

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

    def without_secrets(self, text: str) -> str:
        """Return a text that the user may see, with `[key]` in place of each key and password.

        Some servers repeat the key in their errors: `Incorrect API key provided: sk-123456`.
        """
        url = httpx2.URL(self.base_url or "")
        secrets = {self.api_key, url.password, url.username, *self.secrets}
        # The longest comes first, because one may contain another.
        for secret in sorted(secrets, key=len, reverse=True):
            if len(secret) >= _MIN_SECRET_CHARS:
                text = text.replace(secret, "[key]")
        return text
