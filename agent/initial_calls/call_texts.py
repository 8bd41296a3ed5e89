"""Writes calls and their results as texts for the first message.

For example, a call that reads a file has the title `read /docs/a.md`, and its result is
shown as the text of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema, Tree

READ_ALL: Final = "read_all"
"""The function that returns a whole file. Some environments have it because `read` cuts
long files. A shortened text then says that it reads the rest."""


def title_of(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return the title of a call's section: `read /docs/a.md`, `exec /bin/date --help`.

    It has the operation's name and its `subject`, the argument with the path on which it works.
    """
    words = [operation.name, str(arguments.get(operation.subject) or "")]
    # `exec(path, args=["--help"])` runs a program, whose own arguments are in `args`.
    command_arguments = arguments.get("args")
    if isinstance(command_arguments, list):
        words += [str(argument) for argument in command_arguments]
    return " ".join(word for word in words if word)


def outcome_text(operation: Operation, outcome: CallRecord) -> str:
    """Return the result of a call as text, or its error."""
    if outcome.error:
        return f"(failed: {outcome.error.code}: {outcome.error.message})"
    return result_text(operation, outcome.result or {})


def asks_for_help(arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call asks a tool for its help text, as in `/bin/date --help`."""
    return arguments.get("args") == ["--help"]


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text. Its form depends on what the operation declares.

    | operation | result | text |
    |---|---|---|
    | with `drawn_as_tree` | `{"name": "docs", "children": [...]}` | an indented tree |
    | with a `json_field`, `content` | `{"path": "/a.md", "content": "Hi"}` | `Hi` |
    | any other, and one text is left | `{"path": "/a.md", "stdout": "Hi", "stderr": ""}` | `Hi` |
    | any other | `{"path": "/a.md", "size": 12}` | the result as JSON |
    """
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:  # This field has the content, so only it is shown.
        return str(result.get(operation.json_field, ""))

    # Leave out texts that are empty, and the path, which many results repeat. If one text
    # is left, show only that.
    path = result.get(operation.subject)
    texts = []
    for declared in operation.fields:
        value = result.get(declared.name)
        if isinstance(value, str) and value and value != path:
            texts.append(value)
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)


def how_to_read_on(
    schema: ToolSchema, operation: Operation, outcome: CallRecord, hidden_chars: int
) -> str:
    """Return how the model can read the rest of a result; empty if it is shown whole.

    The rest is what the message has no room for (`hidden_chars`), or what the environment
    itself left out (`truncated`): `(3200 more characters: read_all(path))`.
    """
    call_to_read_on = operation.name
    has_read_all = schema.operation(READ_ALL) is not None
    if has_read_all and operation.effect is Effect.READS:
        call_to_read_on = f"{READ_ALL}(path)"
    if hidden_chars > 0:
        return f"\n({hidden_chars} more characters: {call_to_read_on})"
    if outcome.result is not None and outcome.result.get("truncated") is True:
        return f"\n(It goes on: {call_to_read_on})"
    return ""
