"""The page of a trial's initial prompt: instruction, clock, the calls made for it, and messages."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.agent.events import RankedFile
from controlplane.journal.journal_reader import TrialRecord
from controlplane.terminal_text import one_line, sanitize
from controlplane.view.trial_pages.call_parts import call_parts
from controlplane.view.trial_pages.page_part import Part


def initial_prompt_parts(record: TrialRecord) -> list[Part]:
    """Return the initial prompt: instruction, clock, the calls made for it, and messages.

    The calls are listed without their results, since the messages contain these.
    """
    started = record.started
    opened = record.initial_prompt
    assert started is not None
    clock = "it has no clock"
    if started.now:
        clock = f"its clock says {one_line(started.now)}"
    parts = [
        Part(sanitize(started.instruction), "bold"),
        Part(f"trial {one_line(started.trial_id)} · {clock}", "dim"),
    ]
    if opened is None:
        parts.append(Part("no initial prompt is recorded", "dim"))
    else:
        parts += call_parts(opened.calls, with_results=False)
        parts.append(_message_part("system prompt", opened.system))
        parts.append(_message_part("first message", "".join(opened.first_message)))
        if opened.files:
            parts.append(_ranked_files_part(opened.files))
    return parts


def _ranked_files_part(files: Sequence[RankedFile]) -> Part:
    """Return the files that the first message shows or nearly shows, with rank and reason.

    `  0.83  /docs/leave.md  named, 2,410 characters`
    """
    rows = []
    for file in files:
        size = f"{file.chars:,} characters" if file.chars else "left out"
        row = f"  {file.score:.2f}  {one_line(file.path)}  {one_line(file.reason)}, {size}"
        rows.append(Part(row, "" if file.chars else "dim", is_detail=True))
    shown = [file for file in files if file.chars]
    tail = f"  {len(shown)} shown of {len(files)}"
    return Part("files that fit", tail=tail, parts=tuple(rows))


def _message_part(name: str, text: str) -> Part:
    """Return a message of the conversation. While it is folded, only its length is shown."""
    message = Part(sanitize(text), is_detail=True)
    return Part(name, tail=f"  {len(text):,} characters", parts=(message,))
