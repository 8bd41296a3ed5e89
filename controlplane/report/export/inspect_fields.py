"""Times, token counts and messages in the form of Inspect's logs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeAlias

from controlplane.report.model_requests import (
    Message,
)

Fields: TypeAlias = dict[str, object]
"""The fields of an object of Inspect, which its library checks."""


def iso_time(at_ms: float) -> str:
    return datetime.fromtimestamp(at_ms / 1000, tz=UTC).isoformat()


def token_usage(prompt_tokens: int, tokens: int) -> Fields:
    """Return Inspect's token counts. `tokens` includes those of the prompt."""
    return {
        "input_tokens": prompt_tokens,
        "output_tokens": tokens - prompt_tokens,
        "total_tokens": tokens,
    }


def chat_messages(messages: Iterable[Message]) -> list[Fields]:
    return [{"role": message.role, "content": message.text} for message in messages]
