"""Writes calls and their results as texts for the first message.

For example, a call that reads a file has the title `read /docs/a.md`, and its result is
shown as the text of the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import Operation, Plain, Tree


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
