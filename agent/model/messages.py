"""The messages of a conversation with a model. A message is a dictionary:

| role | message |
|---|---|
| of the user | `{"role": "user", "content": "Which loans are overdue?"}` |
| of the model | `{"role": "assistant", "content": "", "tool_calls": [ToolCall(name="find", ...)]}` |
| of the tool | `{"role": "tool", "content": "l-7, l-9", "tool_call_id": "call_1"}` |
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired, TypeAlias, TypedDict

from controlplane.agent.model.tool import ToolCall

Thought: TypeAlias = dict[str, Any]
"""One item of a model's thinking. It goes back to the endpoint exactly as the endpoint sent it."""


class Message(TypedDict):
    """One message of a conversation. `role` is system, user, assistant or tool."""

    role: str
    content: str
    tool_calls: NotRequired[Sequence[ToolCall]]
    """The calls that an assistant made."""
    tool_call_id: NotRequired[str]
    """The id of the call whose result a tool's message holds."""
    thinking: NotRequired[Sequence[Thought]]
    """An assistant's `Reply.thinking`. It is sent back if the endpoint's protocol asks for it."""
