"""Notes for the model about the calls of its script.

A call may succeed, and still not give what the script expects: its result is cut off, or
`find` got a path where it compares names. A note then says how to make the call:

    /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.agent.loop.session.cut_result_note import cut_result_note
from controlplane.agent.loop.session.find_note import find_note
from controlplane.sandbox.interface import Plain, ToolSchema, bounds


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
