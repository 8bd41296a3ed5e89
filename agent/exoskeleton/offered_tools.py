"""The tools offered to a model, the calls in its reply, and results as the model reads them: short, and shown once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from controlplane.agent.events import ConversationOpened, ModelReplied
from controlplane.agent.exoskeleton.bindings import Permission
from controlplane.agent.initial_calls import READ_ALL, joined_lines, title_of
from controlplane.agent.model import Tool, ToolCall, object_schema
from controlplane.agent.reply import WRITTEN_ARGUMENTS
from controlplane.agent.thinking_text import without_thoughts
from controlplane.agent.written_objects import objects_in, read_object
from controlplane.gates.submission import OUTCOMES
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    ToolSchema,
    Tree,
    bounds,
)

COMPLETION: Final = "report_completion"
"""The tool that ends the trial."""
CALLS_SCHEMA: Final = object_schema(
    {
        "calls": {
            "type": "array",
            "items": object_schema({"name": {"type": "string"}, "arguments": {"type": "object"}}),
        }
    }
)
"""JSON schema of a reply that holds calls, for endpoints without tools."""
_CHANGING: Final = frozenset({Effect.WRITES, Effect.DELETES, Effect.MOVES})
NO_CHANGES: Final = (
    "not run: the request asks for no such change, so nothing that changes something is run for it"
)


def tools_of(
    tool_schema: ToolSchema, task_types: Sequence[str], allowed: Permission
) -> tuple[Tool, ...]:
    """Return the tools for one trial, the completion last. Changing operations are offered only if they are allowed."""
    offered = [
        operation
        for operation in tool_schema.operations
        if allowed.files or operation.effect not in _CHANGING
    ]
    return (*map(operation_tool, offered), completion_tool(task_types))


def change_reference(tool_schema: ToolSchema, allowed: Permission) -> str:
    """Return lines for the operations and executables that change something and are allowed."""
    tools = [
        operation_tool(operation)
        for operation in tool_schema.operations
        if allowed.files and operation.effect in _CHANGING
    ]
    lines = [
        call_reference(tools),
        executable_reference(tool_schema, changing=True) if allowed.tools else "",
    ]
    reference = "\n".join(filter(None, lines))
    return (
        f"This request may change something. Beside the tools above there are:\n{reference}\n"
        if reference
        else ""
    )


def executable_reference(tool_schema: ToolSchema, *, changing: bool) -> str:
    """Return a line for each executable that changes something or, without `changing`, for each of the others."""
    return "\n".join(
        f"- `{executable.path}`: {executable.summary} ({executable.kind})"
        for executable in tool_schema.executables
        if (executable.kind is ExecutableKind.CHANGES) is changing
    )


def completion_tool(task_types: Sequence[str]) -> Tool:
    """Return the tool that ends the trial."""
    return Tool(
        name=COMPLETION,
        description="End the trial with an answer.",
        parameters=object_schema(
            {
                "notes": _text("What was established, one line each."),
                "task_type": {"type": "string", "enum": [*task_types]},
                "outcome": {"type": "string", "enum": [*OUTCOMES]},
                "message": _text("The answer, in exactly the form that was asked for."),
                "documents": references_schema("Documents whose rules the answer follows."),
                "records": references_schema("Records and other files that support the answer."),
                "protected": {
                    "type": "boolean",
                    "description": "Records must not be shown to whoever asks: documents alone are cited.",
                },
            }
        ),
    )


def call_reference(tools: Sequence[Tool]) -> str:
    """Return the tools as lines of text, for a model that gets no schemas."""
    return "\n".join(
        f"- `{tool.name}({', '.join(_written(tool.parameters))})`: {tool.description}"
        for tool in tools
    )


def described_fields(schema: Mapping[str, Any]) -> str:
    """Return a line for each field of a schema, for a prompt."""
    fields = schema.get("properties", {})
    return "\n".join(
        f"- `{name}`: {field.get('description', '')}" for name, field in fields.items()
    )


def _written(schema: Mapping[str, Any]) -> list[str]:
    required = schema["required"]
    return [
        name if name in required else f"{name}={field.get('default')!r}"
        for name, field in schema["properties"].items()
    ]


def operation_tool(operation: Operation) -> Tool:
    """Return an operation as a tool."""
    properties = {
        one.name: {**one.json_schema, **({} if one.is_required else {"default": one.default})}
        for one in operation.parameters
    }
    required = [parameter.name for parameter in operation.parameters if parameter.is_required]
    returned = ", ".join(field.name for field in operation.fields)
    described = f"{operation.summary}. Returns {returned}." if returned else f"{operation.summary}."
    return Tool(
        name=operation.name, description=described, parameters=object_schema(properties, required)
    )


def _text(description: str) -> dict[str, object]:
    return {"type": "string", "description": description}


def references_schema(description: str) -> dict[str, object]:
    """Return the schema of citations: paths with reasons, and with quotations."""
    reason = "Why it is cited: name an id, a number or a phrase from it."
    quote = "Exact words from it, in its language."
    fields = {
        "path": _text("An absolute path that was opened."),
        "reason": _text(reason),
        "quote": _text(quote),
    }
    item = object_schema(fields, ["path", "reason"])
    return {"type": "array", "description": description, "items": item}


def calls_of(replied: ModelReplied) -> Sequence[ToolCall]:
    """Return the calls of a reply in order; none if the reply was cut off by its length."""
    if replied.finish_reason == "length":
        return ()
    if replied.tool_calls:
        return replied.tool_calls
    written = _objects(replied.reply)
    listed = written[0].get("calls") if written else None
    calls = map(_written_call, listed if isinstance(listed, list) else written)
    return [call for call in calls if call is not None]


def _objects(text: str) -> list[dict[str, Any]]:
    said = without_thoughts(text[: bounds.MOST_PARSED_CHARS])
    return [written.value for written in objects_in(said) if written.value is not None]


def object_of(text: str) -> dict[str, Any] | None:
    """Return the first object that a text holds; None if none can be read."""
    return next(iter(_objects(text)), None)


def _written_call(value: object) -> ToolCall | None:
    """Return a call that was written as JSON, in any spelling that models use."""
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    value = inner if isinstance(inner, dict) else value
    name = value.get("name") or value.get("tool")
    given = next((value[argument] for argument in WRITTEN_ARGUMENTS if argument in value), None)
    if not isinstance(name, str) or not name or given is None:
        return None
    return ToolCall(name=name, arguments=given if isinstance(given, str) else json.dumps(given))


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """Return the arguments of a call by name. Raises `TypeError` if they are not a JSON object."""
    value = read_object(call.arguments or "{}")
    value = object_of(call.arguments) if value is None else value
    if value is None:
        msg = f"its arguments are no JSON object: {call.arguments[:80]}"
        raise TypeError(msg)
    return value


def runs_change(
    tool_schema: ToolSchema, declared: Operation, arguments: Mapping[str, Plain]
) -> bool:
    """Say whether a call runs an executable that changes something."""
    kind = tool_schema.executable_kind(str(arguments.get(declared.subject)))
    return kind is ExecutableKind.CHANGES and tool_schema.may_change(declared.name, arguments)


_FROM: Final = "start_line"
_TO: Final = "end_line"
"""Parameters of a reading call that reads a part of a file."""


def initial_results(
    opened: ConversationOpened, tool_schema: ToolSchema
) -> Iterator[tuple[Operation, dict[str, Any], str]]:
    """Yield the calls whose results the initial prompt shows, with their arguments and texts."""
    failed = {(made.operation, json.dumps(made.arguments)) for made in opened.calls if made.error}
    texts = {
        message.tool_call_id: message.content
        for message in opened.exchange
        if message.role == "tool"
    }
    for call in (call for message in opened.exchange for call in message.tool_calls):
        declared = tool_schema.operation(call.name)
        if declared and (call.name, call.arguments) not in failed:
            yield declared, json.loads(call.arguments), texts.get(call.id, "")


@dataclass(slots=True)
class ShownResults:
    """The results that one conversation shows."""

    keeps_layout: bool
    """True if files may be written: their texts are shown unchanged, with the fields that a write needs."""
    _shown: dict[str, str] = field(default_factory=dict)
    """The call that has shown a text, by the text."""
    _reads_on: str = _FROM

    def take_initial_prompt(self, opened: ConversationOpened, tool_schema: ToolSchema) -> None:
        """Remember what the initial prompt shows, and how reading a file is continued."""
        self._reads_on = (
            f"{_FROM}, or all by {READ_ALL}(path)" if tool_schema.operation(READ_ALL) else _FROM
        )
        for declared, arguments, text in initial_results(opened, tool_schema):
            self._shown.setdefault(text, title_of(declared, arguments))

    def shown(
        self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> str:
        """Return a result, or a reference to the place above that shows it."""
        is_file = operation.effect is Effect.READS and isinstance(
            result.get(operation.json_field), str
        )
        head, text = (
            self._file(operation, arguments, result)
            if is_file
            else ("", shown_result(operation, result))
        )
        if len(text) < 200:  # a reference would not be much shorter
            return head + text
        above = self._shown.get(text)
        if above is not None:
            return f"{head}(unchanged: it stands above as the result of {above})"
        self._shown[text] = title_of(operation, arguments)
        return head + text

    def _file(
        self, operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> tuple[str, str]:
        """Return the fields to show beside a file's text, and the text."""
        text, named = str(result[operation.json_field]), {item.name for item in operation.fields}
        is_document = str(arguments.get(operation.subject)).casefold().endswith((".md", ".txt"))
        may_be_written = self.keeps_layout and not is_document
        beside = {
            name: value
            for name, value in result.items()
            if name in named - {operation.json_field, operation.subject}
            and (value is True or (may_be_written and value is not False))
        }
        head = f"{_compact(beside)}\n" if beside else ""
        is_unchanged = self.keeps_layout or any(arguments.get(end) for end in (_FROM, _TO))
        takes_parts = {_FROM, _TO} <= {parameter.name for parameter in operation.parameters}
        room = (
            bounds.SHOWN_RESULT_CHARS
            if is_unchanged or not takes_parts
            else bounds.SHOWN_READ_CHARS
        )
        shown, chars = (
            (text[:room], min(len(text), room)) if is_unchanged else joined_lines(text, room)
        )
        if chars < len(text):
            end = text.rfind("\n", 0, chars) + 1
            can_go_on = takes_parts and end > 0
            shown, chars = (
                (shown[: len(shown) - chars + end], end) if can_go_on else (cut(text), len(text))
            )
        if chars < len(text) or (takes_parts and result.get("truncated") is True):
            left_out = f"{len(text) - chars} characters" if chars < len(text) else "the rest"
            line = max(int(str(arguments.get(_FROM) or 0)), 1) + text.count("\n", 0, chars)
            shown += f"\n[... {left_out} from line {line} on: read by {self._reads_on} ...]"
        return head, shown


def shown_result(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a result as a model reads it: short fields as JSON, long texts below, unchanged."""
    if operation.drawn_as_tree:
        return cut(str(Tree(result)))
    texts = {
        name: value for name, value in result.items() if isinstance(value, str) and "\n" in value
    }
    rest = {name: value for name, value in result.items() if name not in texts}
    parts = [_compact(rest)] if rest else []
    parts += [text if len(texts) == 1 else f"{name}:\n{text}" for name, text in texts.items()]
    return cut("\n".join(parts))


def _compact(value: Mapping[str, Plain]) -> str:
    return json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"))


def cut(text: str) -> str:
    """Return a text without its middle if it is too long."""
    if len(text) <= bounds.SHOWN_RESULT_CHARS:
        return text
    half = bounds.SHOWN_RESULT_CHARS // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n[... {left_out} characters are left out; ask for less at once ...]\n{text[-half:]}"
