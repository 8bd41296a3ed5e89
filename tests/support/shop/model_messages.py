"""What the messages of a request to a model hold: replies, results of functions, and paths.

A message is a dictionary such as `{"role": "tool", "content": "{\"value\": 3, \"refs\": []}"}`.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

from controlplane.agent.model import Message, Tool


def from_first_user_message(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the trial's own messages: the instruction, and all that follows it.

    Before the instruction stand messages of the system, which may show examples.
    """
    for index, message in enumerate(messages):
        if message["role"] == "user":
            return messages[index:]
    msg = "the request has no message of the user"
    raise AssertionError(msg)


def count_of_replies(messages: Sequence[Message]) -> int:
    """Return how many messages are the model's. It is the number of its next turn, from 0."""
    count = 0
    for message in messages:
        if message["role"] == "assistant":
            count += 1
    return count


def function_results(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the results of functions, such as `{"value": 3, "refs": [{"path": "/a.md"}]}`.

    The results of other tools, such as the texts of files, have no `refs`.
    """
    results: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            result = parsed(message["content"])
            if "refs" in result:
                results.append(result)
    return results


def parsed(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; empty if it is anything else."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


DOCUMENT_OR_RECORD = re.compile(r"/(?:docs|proc)/[\w./-]+\.(?:md|json)")
"""Finds the path of a document or record, such as `/proc/carts/b-1.json`."""


def paths_in(messages: Sequence[Message]) -> list[str]:
    """Return the paths of documents and records that messages show, in their order."""
    paths: list[str] = []
    for message in messages:
        paths += DOCUMENT_OR_RECORD.findall(message["content"])
    return paths


def text_of(messages: Sequence[Message], tools: Sequence[Tool]) -> str:
    """Return what a request holds as one text, tools first."""
    parts: list[str] = []
    for tool in tools:
        parts.append(f"{tool.name} {tool.description} {json.dumps(tool.parameters)}")
    for message in messages:
        parts.append(message["role"])
        for call in message.get("tool_calls", ()):
            parts.append(f"{call.name} {call.arguments}")
        parts.append(message["content"])
    return "\n".join(parts)
