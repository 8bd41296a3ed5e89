"""The settings that go with every request to an endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

import httpx2

from agent.model.model_protocol import ReplyMode

OPENAI_URL: Final = "https://api.openai.com/v1"


class Api(StrEnum):
    """The protocol of requests to an endpoint."""

    CHAT = "chat"
    """Chat completions."""
    RESPONSES = "responses"
    """OpenAI's Responses API."""


class ThinkingBack(StrEnum):
    """The part of a model's thinking that is sent back with the model's own message."""

    AUTO = "auto"
    """The parts that the protocol asks for: reasoning items, details and signatures beside tool calls."""
    CONTENT = "reasoning_content"
    """Every message's `reasoning_content`, for models that continue thinking between their turns."""
    NONE = "none"
    """Nothing."""


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key and the headers are secrets and are never shown."""

    model: str
    base_url: str | None = None
    """None for the vendor's own address."""
    api_key: str = ""
    api: Api = Api.CHAT
    reply_mode: ReplyMode | None = None
    """None for the best one that the endpoint takes."""
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    reasoning_effort: str = ""
    thinking_back: ThinkingBack = ThinkingBack.AUTO
    timeout_s: float = 180.0
    """Seconds that one request may take."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers of every request."""
    secrets: tuple[str, ...] = ()
    """Values of headers that are never shown."""
    body: Mapping[str, object] = field(default_factory=dict)
    """Further fields of every request's body; they take precedence."""

    def __repr__(self) -> str:
        return f"EndpointSettings(model={self.model!r}, base_url={self.shown_url!r})"

    @property
    def shown_url(self) -> str:
        """The address without the parts that may be secret: user, password, query."""
        url = httpx2.URL(self.base_url or OPENAI_URL)
        return str(url.copy_with(username=None, password=None, query=None, fragment=None))
