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

    `/docs/a.md goes on: harness.tools.read_all(path) gives the rest.`
    """
    declared = tool_schema.operation(operation)
    if declared is None or result.get("truncated") is not True:
        return ""
    if declared.from_char:
        how_to_go_on = _next_chars(declared, arguments, result)
    elif declared.effect is Effect.READS and "start_line" in arguments:
        how_to_go_on = _further_lines(tool_schema, arguments)
    else:
        name = declared.name
        return f"{name} returned only a part of what there is (.truncated is true)."
    if not how_to_go_on:
        return ""
    path = arguments.get(declared.subject)  # the main argument of a read
    return f"{path} goes on: {how_to_go_on} gives the rest."


def _next_chars(
    declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
) -> str:
    """Return how to read on in a file that is read in parts of characters: `from_char=9000`.

    `declared.from_char` is the name of the argument. A script that does not use it needs no
    note: the sandbox reads the other parts for it.
    """
    if not arguments.get(declared.from_char):
        return ""
    return f"{declared.from_char}={result.get('next_char')}"


def _further_lines(tool_schema: ToolSchema, arguments: Mapping[str, Plain]) -> str:
    """Return how to read the rest of a file that is read by lines.

    It is the benchmark's function `read_all`, or else the argument `start_line`. A script
    that chose the first line (`start_line` is not 0) needs no note.
    """
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

    `find("docs/a.md")` finds nothing, because `find` compares only file names: `a.md`. If
    scripts can read files (`can_read`), the note says how to read this one, and otherwise
    how to find it in its folder.
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
