"""Finds out whether a model's context is too small for all files that fit the request.

The user is told then, because a model with a larger context would see more. But a file may also be
left out because of the environment's own limit for all of these files, such as 8,000 characters:

| room that is left in the message | the message was shortened |
|---|---|
| 0 characters | yes |
| 9,000 | no: the files could take all of their 8,000 characters |
| 3,000 | only if a file that fits the request was left out |
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import RankedFile
from controlplane.agent.initial_calls.sections.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.retrieval.selection.journal_rows import is_fitting_left_out


def context_that_shortens(
    room: MessageRoom, writer: SectionWriter, files: Iterable[RankedFile]
) -> int:
    """Return the size of the context in tokens if it has shortened the message; else 0.

    `room` is what the message had at first, and `writer` knows what is left of it. `files` says
    which files are shown. `room.limiting_tokens` is 0 if not the context, but a setting of the run
    limits the message: the user wanted that.
    """
    return room.limiting_tokens if _is_shortened(writer, files) else 0


def _is_shortened(writer: SectionWriter, files: Iterable[RankedFile]) -> bool:
    """Return True if a file that fits the request is left out because the message is full."""
    if not writer.has_room:
        return True
    most_chars_of_files = writer.tool_schema.ranked_chars
    if writer.remaining_chars >= most_chars_of_files:
        return False
    return any(is_fitting_left_out(file) for file in files)
