"""Reads the results of initial calls from the start of a conversation.

Code made these calls before the model was asked. The conversation shows them as if the
model had made them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from controlplane.agent.events import ConversationOpened
from controlplane.sandbox.interface import Operation, ToolSchema


@dataclass(frozen=True, slots=True)
class InitialResult:
    """An initial call that succeeded, with its result as the model sees it."""

    operation: Operation
    arguments: dict[str, Any]
    text: str

    @property
    def subject(self) -> str:
        """Its main argument, such as the path of the file that it has read."""
        return str(self.arguments.get(self.operation.subject))


def initial_results(
    opening: ConversationOpened, tool_schema: ToolSchema
) -> list[InitialResult]:
    """Return the initial calls that succeeded, in order.

    The *exchange* is the part of the conversation that shows them as calls of the model:

        assistant    tool_calls: opening_1 = read({"path": "/docs/a.md"})
        tool         "A key is lent for a day.", for opening_1
    """
    results: list[InitialResult] = []
    failed_calls = _failed_calls(opening)
    texts = _texts_by_call_id(opening)
    for message in opening.exchange:
        for call in message.tool_calls:
            operation = tool_schema.operation(call.name)
            has_failed = (call.name, call.arguments) in failed_calls
            if operation is not None and not has_failed:
                arguments = json.loads(call.arguments)
                text = texts.get(call.id, "")
                results.append(InitialResult(operation, arguments, text))
    return results


def _failed_calls(opening: ConversationOpened) -> set[tuple[str, str]]:
    """Return the initial calls that failed: `{("read", '{"path": "/x.md"}')}`.

    The exchange does not mark them. It has the arguments as the same JSON text.
    """
    failed_calls: set[tuple[str, str]] = set()
    for record in opening.calls:
        if record.error:
            failed_calls.add((record.operation, json.dumps(record.arguments)))
    return failed_calls


def _texts_by_call_id(opening: ConversationOpened) -> dict[str, str]:
    """Return the results in the exchange: `{"opening_1": "A key is lent for a day."}`."""
    texts: dict[str, str] = {}
    for message in opening.exchange:
        if message.role == "tool":
            texts[message.tool_call_id] = message.content
    return texts
