"""Notes for the model about the calls of a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.initial_calls.call_texts import READ_ALL
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema, bounds

MAX_NAME_CHARS: Final = 200
"""Max characters of a name or a folder that a note repeats."""


def call_notes(
    tool_schema: ToolSchema,
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
) -> list[str]:
    """Return the notes about a call of a script, such as that its result is cut off."""
    can_read = tool_schema.operation("read") is not None
    notes = (
        cut_result_note(tool_schema, operation, arguments, result),
        find_note(operation, arguments, result, can_read),
    )
    return [note for note in notes if note]


def cut_result_note(
    tool_schema: ToolSchema,
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
) -> str:
    """Return the note about a result that was cut off; empty if the script needs none.

    `/docs/a.md goes on: harness.tools.read_all(path) gives the rest.`
    """
    declared = tool_schema.operation(operation)
    if declared is None or result.get("truncated") is not True:
        return ""
    if declared.from_char:
        rest = _rest_from_char(declared, arguments, result)
    elif declared.effect is Effect.READS and "start_line" in arguments:
        rest = _rest_from_line(tool_schema, arguments)
    else:
        name = declared.name
        return f"{name} returned only a part of what there is (.truncated is true)."
    if not rest:
        return ""
    path = arguments.get(declared.subject)
    return f"{path} goes on: {rest} gives the rest."


def _rest_from_char(
    declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> str:
    """Return the argument for the next part: `from_char=9000`.

    Empty if the script did not ask for a part, because the sandbox then reads all parts
    for it.
    """
    if not arguments.get(declared.from_char):
        return ""
    return f"{declared.from_char}={result.get('next_char')}"


def _rest_from_line(tool_schema: ToolSchema, arguments: Mapping[str, Plain]) -> str:
    """Return how to read the whole file; empty if the script wanted only certain lines."""
    if arguments["start_line"]:
        return ""
    if tool_schema.operation(READ_ALL) is None:
        return "start_line"
    return f"harness.tools.{READ_ALL}(path)"


def find_note(
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    can_read: bool,
) -> str:
    """Return the note about a `find` that got a path, and so found nothing; else empty.

    `find("docs/a.md")` finds nothing, because `find` compares only file names: `a.md`.
    """
    if operation != "find" or result.get("paths") != []:
        return ""
    name = arguments.get("name")
    if not isinstance(name, str):
        return ""
    folder, slash, base_name = name.rpartition("/")
    is_path = bool(slash) and bool(base_name)
    if not is_path:
        return ""

    shown_name = name[:MAX_NAME_CHARS]
    note = f"find fits base names, so {shown_name!r} fits nothing"
    has_pattern = any(character in name for character in "*?[")
    if can_read and not has_pattern:
        path = "/" + shown_name.lstrip("/")
        return f'{note}: write harness.read("{path}").'
    root = "/" + folder[:MAX_NAME_CHARS].strip("/")
    return f'{note}: write harness.find("{base_name[:MAX_NAME_CHARS]}", root="{root}").'


def notes_block(notes: Sequence[str]) -> tuple[str, ...]:
    """Return the notes as one piece of a message, each once; an empty tuple without notes.

    After `SHOWN_ROWS` notes, the others are only counted.
    """
    unique_notes = list(dict.fromkeys(notes))
    if not unique_notes:
        return ()
    lines = unique_notes[: bounds.SHOWN_ROWS]
    hidden = len(unique_notes) - len(lines)
    if hidden:
        lines.append(f"… and {hidden} more notes.")
    return ("<notes>\n" + "\n".join(lines) + "\n</notes>\n",)
