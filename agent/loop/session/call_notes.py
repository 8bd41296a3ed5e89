"""Notes for the model about the calls of its script.

A call may succeed, and still not give what the script expects: its result is cut off, or
`find` got a path where it compares names. A note then says how to make the call:

    /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
"""

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
    """Return the notes about a call of a script, with its arguments and its result."""
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

    A file may be read in parts, by characters or by lines. Other results just end early:

        /docs/a.md goes on: from_char=9000 gives the rest.
        /docs/a.md goes on: harness.tools.read_all(path) gives the rest.
        list returned only a part of what there is (.truncated is true).
    """
    declared = tool_schema.operation(operation)
    if declared is None or result.get("truncated") is not True:
        return ""
    if declared.from_char:
        how_to_go_on = _how_to_read_next_chars(declared, arguments, result)
    elif declared.effect is Effect.READS and "start_line" in arguments:
        how_to_go_on = _how_to_read_further_lines(tool_schema, arguments)
    else:
        name = declared.name
        return f"{name} returned only a part of what there is (.truncated is true)."
    if not how_to_go_on:
        return ""
    path = arguments.get(declared.subject)  # The main argument of a read is its path.
    return f"{path} goes on: {how_to_go_on} gives the rest."


def _how_to_read_next_chars(
    declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> str:
    """Return how to read on in a file that is read by characters: `from_char=9000`.

    `declared.from_char` is the name of the argument that says where to begin. If a script
    leaves it out, the sandbox reads all parts of the file for it. So it needs no note.
    """
    if not arguments.get(declared.from_char):
        return ""
    return f"{declared.from_char}={result.get('next_char')}"


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
    # A base name is the last part of a path: `a.md` of `/docs/a.md`.
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
