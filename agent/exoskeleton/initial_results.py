"""Reads the results of initial calls from the start of a conversation.

Code made these calls before the model was asked. The conversation shows them as if the
model had made them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
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


def initial_results(
    opening: ConversationOpened, tool_schema: ToolSchema
) -> Iterator[InitialResult]:
    """Yield the initial calls that succeeded, in order.

    The *exchange* is the part of the conversation that shows them as calls of the model.
    It has no mark for a failed call, so the failed ones are taken from the recorded calls,
    and compared by name and arguments.
    """
    failed_calls = set()
    for record in opening.calls:
        if record.error:
            # The exchange has the arguments as the same text: `call_with_result` writes them.
            failed_calls.add((record.operation, json.dumps(record.arguments)))
    text_by_call_id = {}
    for message in opening.exchange:
        if message.role == "tool":
            text_by_call_id[message.tool_call_id] = message.content

    for message in opening.exchange:
        for call in message.tool_calls:
            operation = tool_schema.operation(call.name)
            has_failed = (call.name, call.arguments) in failed_calls
            if operation is not None and not has_failed:
                arguments = json.loads(call.arguments)
                text = text_by_call_id.get(call.id, "")
                yield InitialResult(operation, arguments, text)
