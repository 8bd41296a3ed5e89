"""The note for the model about a result of its script's call that was cut off.

A file may be read in parts, by characters or by lines. Other results just end early:

    /docs/a.md goes on: from_char=9000 gives the rest.
    /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
    list returned only a part of what there is (.truncated is true).
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.initial_calls.sections.rest_notice import READ_ALL
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


def cut_result_note(
    tool_schema: ToolSchema,
    operation_name: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
) -> str:
    """Return the note about a result that was cut off; empty if the script needs none."""
    operation = tool_schema.operation(operation_name)
    if operation is None or result.get("truncated") is not True:
        return ""
    if operation.from_char:
        return _note_on_next_chars(operation, arguments, result)
    if operation.effect is Effect.READS and "start_line" in arguments:
        return _note_on_further_lines(tool_schema, operation, arguments)
    # It is no file that a script reads in parts, so there is no place to go on from.
    return (
        f"{operation.name} returned only a part of what there is (.truncated is true)."
    )


def _note_on_next_chars(
    operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> str:
    """Return the note about a file that is read by characters.

    `operation.from_char` is the name of the argument that says where to begin: "from_char".

    read(path="/docs/a.md", from_char=5000)   -> "/docs/a.md goes on: from_char=9000 gives the rest."
    read(path="/docs/a.md")                   -> "": the sandbox reads all parts for the script
    """
    if not arguments.get(operation.from_char):
        return ""
    path = arguments.get(operation.subject)
    next_char = result.get("next_char")
    return f"{path} goes on: {operation.from_char}={next_char} gives the rest."


def _note_on_further_lines(
    tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]
) -> str:
    """Return the note about a file that is read by lines.

    read(path="/docs/a.md", start_line=0)   -> "/docs/a.md goes on: start_line gives the rest."
    read(path="/docs/a.md", start_line=40)  -> "": the script knows how to read on

    If the benchmark has a function `read_all`, which reads whole files, the note names it.
    """
    if arguments["start_line"]:
        return ""
    how_to_go_on = "start_line"
    if tool_schema.operation(READ_ALL) is not None:
        how_to_go_on = f"harness.tools.{READ_ALL}(path)"
    path = arguments.get(operation.subject)
    return f"{path} goes on: {how_to_go_on} gives the rest."
