"""Notes for the model about the calls of its script.

A call may succeed, and still not give what the script expects: its result is cut off, or
`find` got a path where it compares names. A note then says how to make the call:

    /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from controlplane.agent.loop.session.cut_result_note import cut_result_note
from controlplane.sandbox.interface import Plain, ToolSchema, bounds

MAX_NAME_CHARS: Final = 200
"""Max characters of a name or a folder that a note repeats."""


def call_notes(
    tool_schema: ToolSchema,
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
) -> list[str]:
    """Return the notes about a call of a script, with its arguments and its result."""
    can_read = tool_schema.operation("read") is not None
    notes = (
        cut_result_note(tool_schema, operation, arguments, result),
        find_note(operation, arguments, result, can_read),
    )
    return [note for note in notes if note]


def find_note(
    operation: str,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    can_read: bool,
) -> str:
    """Return the note about a `find` that got a path, and so found nothing; else empty.

    `find("docs/a.md")` finds nothing, because `find` compares only file names: `a.md`. The
    note says how to read the file. If scripts cannot read (`can_read` is false), or the path
    is a pattern such as `docs/*.md`, it says how to find files in this folder.
    """
    name = arguments.get("name")
    has_found_nothing = operation == "find" and result.get("paths") == []
    if not has_found_nothing or not isinstance(name, str):
        return ""
    folder, slash, base_name = name.rpartition("/")
    is_path = bool(slash) and bool(base_name)
    if not is_path:
        return ""

    shown_name = name[:MAX_NAME_CHARS]
    has_pattern = any(character in name for character in "*?[")
    if can_read and not has_pattern:
        path = "/" + shown_name.lstrip("/")
        remedy = f'harness.read("{path}")'
    else:
        root = "/" + folder[:MAX_NAME_CHARS].strip("/")
        remedy = f'harness.find("{base_name[:MAX_NAME_CHARS]}", root="{root}")'
    # A base name is the last part of a path: `a.md` of `/docs/a.md`.
    return f"find fits base names, so {shown_name!r} fits nothing: write {remedy}."


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
