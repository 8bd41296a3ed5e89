"""Notes for the model about the calls of its script.

A call may succeed, and still not give what the script expects: its result is truncated, or
`find` got a path where it compares names. A note then says how to make the call:

    /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.events.trial_events import NOTES_BEGIN, NOTES_END
from controlplane.agent.opening.sections import READ_ALL
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
    bounds,
    is_truncated,
)

# The note for the model about a result of its script's call that was truncated.
#
# A file may be read in parts, by characters or by lines. Other results just end early:
#
#     /docs/a.md goes on: from_char=9000 gives the rest.
#     /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
#     list returned only a part of what there is (.truncated is true).


def _cut_result_note(
    tool_schema: ToolSchema,
    operation: Operation,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
) -> str:
    """Return the note about a truncated result; empty if the script needs none.

    | the call | its note |
    |---|---|
    | `read("/docs/a.md", from_char=5000)`, where `from_char` says where to begin | `from_char=9000 gives the rest` |
    | the same without it | none: the sandbox reads all parts for the script |
    | `read("/docs/a.md", start_line=0)` | `start_line gives the rest`, or `read_all`, which reads whole files |
    | `read("/docs/a.md", start_line=40)` | none: the script knows how to read on |
    | any other | that it is only a part, since there is no place to go on from |
    """
    if not is_truncated(result):
        return ""
    if operation.from_char:
        if not arguments.get(operation.from_char):
            return ""
        how_to_go_on = f"{operation.from_char}={result.get('next_char')}"
    elif operation.effect is Effect.READS and "start_line" in arguments:
        if arguments["start_line"]:
            return ""
        how_to_go_on = "start_line"
        if tool_schema.operation(READ_ALL) is not None:
            how_to_go_on = f"harness.tools.{READ_ALL}(path)"
    else:
        return f"{operation.name} returned only a part of what there is (.truncated is true)."
    return f"{arguments.get(operation.subject)} goes on: {how_to_go_on} gives the rest."


# The note for the model about a `find` that got a path, although it compares file names.
#
# Models write `find` like the command of a shell. It then finds nothing, and they conclude that
# there is no such file:
#
#     find("docs/a.md")   -> paths: []
#                            find fits base names, so 'docs/a.md' fits nothing:
#                            write harness.read("/docs/a.md").

_MAX_NAME_CHARS: Final = 200
"""Max characters of a name or a folder that a note repeats."""


def find_note(
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    can_read: bool,
) -> str:
    """Return the note about a `find` that got a path, and so found nothing; else empty.

    It says how to read the file. If scripts cannot read (`can_read` is false), or the path is a
    pattern such as `docs/*.md`, it says how to find files in this folder.
    """
    name = arguments.get("name")
    has_found_nothing = operation == "find" and result.get("paths") == []
    if not has_found_nothing or not isinstance(name, str):
        return ""
    folder, slash, base_name = name.rpartition("/")
    is_path = bool(slash) and bool(base_name)
    if not is_path:
        return ""

    shown_name = name[:_MAX_NAME_CHARS]
    has_pattern = any(character in name for character in "*?[")
    if can_read and not has_pattern:
        path = "/" + shown_name.lstrip("/")
        remedy = f'harness.read("{path}")'
    else:
        root = "/" + folder[:_MAX_NAME_CHARS].strip("/")
        remedy = f'harness.find("{base_name[:_MAX_NAME_CHARS]}", root="{root}")'
    # A base name is the last part of a path: `a.md` of `/docs/a.md`.
    return f"find fits base names, so {shown_name!r} fits nothing: write {remedy}."


def call_notes(
    tool_schema: ToolSchema,
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
) -> list[str]:
    """Return the notes about a call of a script, with its arguments and its result."""
    can_read = tool_schema.operation("read") is not None
    notes = [find_note(operation, arguments, result, can_read)]
    declared = tool_schema.operation(operation)
    if declared is not None:
        notes.insert(0, _cut_result_note(tool_schema, declared, arguments, result))
        told = result.get(declared.told_field) if declared.told_field else None
        if isinstance(told, list):
            notes += [str(line)[: bounds.SHOWN_FAULT_CHARS] for line in told]
    return [note for note in notes if note]


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
    return (NOTES_BEGIN + "\n".join(lines) + NOTES_END,)
