"""The choices of a chat completion: a server may send several replies, of which one is read.

    {"choices": [{"index": 1, "message": {"content": "no"}},
                 {"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}]}

The second one is read, because its index is the lowest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from controlplane.agent.endpoint.json_parts import objects_of, text_or_empty
from controlplane.agent.endpoint.replies.choice_fields import (
    index_of_choice,
    message_of_choice,
)
from controlplane.agent.endpoint.replies.finish_reasons import (
    FinishReason,
    finish_reason_of,
)
from controlplane.agent.endpoint.replies.message_content import text_of


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the replies (choices) of a chat completion. It has no fields if there is no choice."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    """The choice as the server has sent it, such as with its `finish_reason`."""
    message: Mapping[str, Any] = field(default_factory=dict)
    """The message in the choice."""

    @property
    def has_content(self) -> bool:
        """True if the message has a text or calls."""
        if text_of(self.message.get("content")).strip():
            return True
        return bool(self.message.get("tool_calls") or self.message.get("function_call"))

    @property
    def finish_reason(self) -> FinishReason:
        """Why the reply ended, in a common word and in the vendor's own (native) word."""
        common = text_or_empty(self.fields.get("finish_reason"))
        native = text_or_empty(self.fields.get("native_finish_reason"))
        return finish_reason_of(common, native)


def best_choice(choices: object) -> Choice:
    """Return the choice with the lowest index that has content, as servers may mix their order.

    If none has content, return the first one with a message; without one, a choice without fields.
    """
    fallback = Choice()
    for fields in sorted(objects_of(choices), key=index_of_choice):
        message = message_of_choice(fields)
        if message is None:
            continue
        choice = Choice(fields, message)
        if choice.has_content:
            return choice
        if not fallback.message:
            fallback = choice
    return fallback
