"""The note for the model about a result of its script's call that was cut off.

A file may be read in parts, by characters or by lines. Other results just end early:

    /docs/a.md goes on: from_char=9000 gives the rest.
    /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
    list returned only a part of what there is (.truncated is true).
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.initial_calls.call_texts import READ_ALL
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
        how_to_go_on = _how_to_read_next_chars(operation, arguments, result)
    elif operation.effect is Effect.READS and "start_line" in arguments:
        how_to_go_on = _how_to_read_further_lines(tool_schema, arguments)
    else:
        # It is no file that a script reads in parts, so there is no place to go on from.
        return f"{operation.name} returned only a part of what there is (.truncated is true)."
    if not how_to_go_on:
        return ""
    path = arguments.get(operation.subject)
    return f"{path} goes on: {how_to_go_on} gives the rest."


def _how_to_read_next_chars(
    operation: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> str:
    """Return how to read on in a file that is read by characters: `from_char=9000`.

    `operation.from_char` is the name of the argument that says where to begin. If a script
    leaves it out, the sandbox reads all parts of the file for it. So it needs no note.
    """
    if not arguments.get(operation.from_char):
        return ""
    return f"{operation.from_char}={result.get('next_char')}"


def _how_to_read_further_lines(
    tool_schema: ToolSchema, arguments: Mapping[str, Plain]
) -> str:
    """Return how to read on in a file that is read by lines.

    The benchmark's function `read_all` reads the whole file. If there is none, the argument
    `start_line` says where to begin. A script that has used it knows how, and needs no note.
    """
    if arguments["start_line"]:  # 0 unless the script chose a line
        return ""
    if tool_schema.operation(READ_ALL) is None:
        return "start_line"
    return f"harness.tools.{READ_ALL}(path)"
