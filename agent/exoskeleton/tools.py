"""The tools that the model may call, and their descriptions in prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from controlplane.agent.model import ModelTool, Received, object_schema
from controlplane.sandbox.interface import (
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    ToolSchema,
)
from controlplane.sandbox.interface.outcomes import Outcomes

# The values of a benchmark's checks, which run before the model is asked.
#
# A check is a function of the environment. Code, not a model, decides there.


class CheckValue(Received):
    """The value of a check. With an outcome, it answers the request."""

    outcome: str = ""
    message: str = ""
    """The answer."""
    delete: tuple[str, ...] = ()
    """The files to delete before the answer is submitted."""
    context: str = ""
    """A text for the model's first message, if the check does not answer."""


class Permission(Received):
    """The changes that a request permits. `Permission()` permits all."""

    files: bool = True
    """True if calls may write, move and delete files."""
    tools: bool = True
    """True if calls may run executables that change something."""


# An operation of the environment as a tool that the model may call.
#
# The operation `read(path, start_line=0)`, with the summary "Read a text file" and the field
# `content` in its result:
#
#     Tool(
#         name="read",
#         description="Read a text file. Returns content.",
#         parameters={"type": "object", "properties": {"path": ..., "start_line": ...},
#                     "required": ["path"], ...},
#     )


def operation_tool(operation: Operation) -> ModelTool:
    """Return an operation as a tool: its summary, and its parameters as a JSON schema."""
    properties = {}
    required = []
    for parameter in operation.parameters:
        schema = dict(parameter.json_schema)
        if parameter.is_required:
            required.append(parameter.name)
        else:
            schema["default"] = parameter.default
        properties[parameter.name] = schema

    description = f"{operation.summary}."
    returned = ", ".join(field.name for field in operation.fields)
    if returned:
        description += f" Returns {returned}."
    return ModelTool(
        name=operation.name,
        description=description,
        parameters=object_schema(properties, required),
    )


# Describes tools, executables and fields as lines of a prompt.
#
#     - `read(path, start_line=0)`: Read a text file. Returns content.      a tool
#     - `/bin/lend`: lends a book (changes)                                 an executable
#     - `change`: True if the request changes something                     a field of a reply
#
# The model knows by them what it may call, and how it should reply.


def call_reference(tools: Sequence[ModelTool]) -> str:
    """Return a line for each tool, for the system prompt: ``- `read(path, start_line=0)`: …``"""
    lines = []
    for tool in tools:
        parameters = ", ".join(_parameter_texts(tool.parameters))
        lines.append(f"- `{tool.name}({parameters})`: {tool.description}")
    return "\n".join(lines)


def _parameter_texts(schema: Mapping[str, Any]) -> list[str]:
    """Return the parameters as in a signature: `path`, `limit=10`."""
    texts = []
    for name, parameter in schema["properties"].items():
        if name in schema["required"]:
            texts.append(name)
        else:
            texts.append(f"{name}={parameter.get('default')!r}")
    return texts


def executable_reference(tool_schema: ToolSchema, *, changing: bool) -> str:
    """Return a line for each executable that changes something: ``- `/bin/lend`: ...``

    If `changing` is False, return the lines of those that change nothing.
    """
    lines = []
    for executable in tool_schema.executables:
        changes_something = executable.kind is ExecutableKind.CHANGES
        if changes_something == changing:
            lines.append(
                f"- `{executable.path}`: {executable.summary} ({executable.kind})"
            )
    return "\n".join(lines)


_DONE_SENTENCE: Final = "the question is answered, or the action is done"
"""The meaning of an outcome of the kind `done` that declares no sentence."""


def outcome_reference(outcomes: Outcomes) -> str:
    """Return a line for each declared outcome: ``OUTCOME_OK (the question is answered),``"""
    lines = []
    for outcome in outcomes:
        sentence = outcome.sentence or _DONE_SENTENCE
        lines.append(f"`{outcome.name}` ({sentence}),")
    return "\n".join(lines)


def described_fields(schema: Mapping[str, Any]) -> str:
    """Return a line for each property of a schema, for a prompt."""
    lines = []
    for name, field in schema.get("properties", {}).items():
        lines.append(f"- `{name}`: {field.get('description', '')}")
    return "\n".join(lines)


# The calls that change something, which are stopped unless the user's request permits them.
#
# A call names an *operation* of the environment, such as `write`. The operation `run` runs an
# *executable*, a program such as `/bin/lend`:
#
# | call | changes something |
# |---|---|
# | `write(path="/a.md", text="Hi")` | yes: the operation declares that it writes |
# | `run(path="/bin/lend", args=["b-7"])` | yes: the executable is declared to change something |
# | `run(path="/bin/lend", args=["--help"])` | no |

CHANGING_EFFECTS: Final = frozenset({Effect.WRITES, Effect.DELETES, Effect.MOVES})


def runs_change(
    tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]
) -> bool:
    """Return True if a call runs an executable that may change something."""
    path = str(arguments.get(operation.subject))
    if tool_schema.executable_kind(path) is not ExecutableKind.CHANGES:
        return False
    # The arguments may only ask for `--help`.
    return tool_schema.may_change(operation.name, arguments)


def change_reference(tool_schema: ToolSchema, permission: Permission) -> str:
    """Return lines for the model about the permitted changing calls; empty if there are none."""
    parts = []
    if permission.files:  # The request permits to change files.
        tools = []
        for operation in tool_schema.operations:
            if operation.effect in CHANGING_EFFECTS:
                tools.append(operation_tool(operation))
        parts.append(call_reference(tools))
    if permission.tools:  # It permits to run executables that change something.
        parts.append(executable_reference(tool_schema, changing=True))
    # An environment may have no such operation, or no such executable.
    reference = "\n".join(part for part in parts if part)
    if not reference:
        return ""
    return f"This request may change something. Beside the tools above there are:\n{reference}\n"


# The tool with which the model hands in its answer, and so ends the trial.
#
# Its call is the *completion*: the answer, and the files that support it:
#
#     report_completion(notes="...", task_type="other", outcome="OUTCOME_OK",
#                       message="12 loans", documents=[], records=[...])

COMPLETION: Final = "report_completion"
"""The name of the tool that ends the trial."""


def completion_tool(task_types: Sequence[str], outcomes: Outcomes) -> ModelTool:
    """Return the tool that ends the trial. `Completion` parses its arguments."""
    return ModelTool(
        name=COMPLETION,
        description="End the trial with an answer.",
        parameters=object_schema(
            {
                "notes": _text("What was established, one line each."),
                "task_type": {"type": "string", "enum": [*task_types]},
                "outcome": {"type": "string", "enum": [*outcomes.names]},
                "message": _text("The answer, in exactly the form that was asked for."),
                "documents": references_schema(
                    "Documents whose rules the answer follows."
                ),
                "records": references_schema(
                    "Records and other files that support the answer."
                ),
                "protected": {
                    "type": "boolean",
                    "description": "Records must not be shown to whoever asks: documents alone are cited.",
                },
            }
        ),
    )


def references_schema(description: str) -> dict[str, object]:
    """Return the schema of an array of citations: path, reason, and optionally a quotation."""
    fields = {
        "path": _text("An absolute path that was opened."),
        "reason": _text("Why it is cited: name an id, a number or a phrase from it."),
        "quote": _text("Exact words from it, in its language."),
    }
    citation = object_schema(fields, ["path", "reason"])
    return {"type": "array", "description": description, "items": citation}


def _text(description: str) -> dict[str, object]:
    """Return the JSON schema of a parameter that is a text."""
    return {"type": "string", "description": description}
