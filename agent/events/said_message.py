"""A message of a request to a model, as the journal has it.

{"role": "tool", "content": "...", "tool_call_id": "call_1"}
"""

from __future__ import annotations

from typing import TypeAlias

from controlplane.agent.events.record import Record, Text
from controlplane.agent.model import Message, ToolCall

Conversation: TypeAlias = list[Message]


class SaidMessage(Record):
    """One message of a request to a model, without the thinking that may go with it."""

    role: str
    """`system`, `user`, `assistant` or `tool`."""
    content: Text
    """Its text."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that an assistant made."""
    tool_call_id: str = ""
    """The id of the call that a tool answers."""

    @classmethod
    def of(cls, message: Message) -> SaidMessage:
        """Return `message` in its recorded form."""
        fields = {
            name: value for name, value in message.items() if name in cls.model_fields
        }
        return cls.model_validate(fields)

    def message(self) -> Message:
        """Return the message as a model takes it."""
        message = Message(role=self.role, content=self.content)
        if self.tool_calls:
            message["tool_calls"] = self.tool_calls
        if self.tool_call_id:
            message["tool_call_id"] = self.tool_call_id
        return message
