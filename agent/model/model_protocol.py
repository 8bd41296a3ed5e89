"""What the agent needs of a model, and what a model says. Vendors' endpoints, players and scripts all speak it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, TypedDict

from pydantic import BaseModel, ConfigDict


class Message(TypedDict):
    """One message of a conversation, as every OpenAI-compatible endpoint takes it."""

    role: str
    content: str


class Usage(BaseModel):
    """Tokens of one call, as the endpoint counted them; all 0 if it did not say."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt_tokens: int = 0
    """Tokens of the request."""
    completion_tokens: int = 0
    """Tokens of the reply."""
    cached_tokens: int = 0
    """Of the request, those that a prompt cache held."""
    reasoning_tokens: int = 0
    """Of the reply, those of reasoning."""


class ToolCall(BaseModel):
    """One tool call of a reply; `arguments` is the raw JSON text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    arguments: str


class Reply(BaseModel):
    """What came back from one call of a model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    usage: Usage = Usage()
    finish_reason: str = "stop"
    cost_usd: float | None = None
    """None if the endpoint does not say; never a guess from a table of prices."""
    notices: tuple[str, ...] = ()
    """What the user should know about how it came to be, one line each."""


class Model(Protocol):
    """Something that answers a conversation. Called from many threads at once."""

    @property
    def name(self) -> str:
        """The name that journals and tables show."""
        ...

    def complete(self, messages: Sequence[Message], schema: Mapping[str, object], role: str) -> Reply:
        """Answer `messages` with JSON text fitting `schema`. `role` says what for (`solve`). Raises `ModelError`."""
        ...


class ModelError(Exception):
    """A model gave no reply.

    `retryable` tells a passing failure from one that the same call would meet again; `affects_all` says that every
    other trial meets it too (the endpoint is down, the key is wrong), so that a run had better pause.
    """

    def __init__(
        self, message: str, *, retryable: bool, affects_all: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.affects_all = affects_all
        self.retry_after_s = retry_after_s


class RetriesExhausted(ModelError):
    """The run has used up its retries."""


class Abandoned(ModelError):
    """Nobody waits for the reply any more: the trial was told to stop."""
