"""Finds out whether a model's context is too small for all files that fit the request.

The user is told then, because a model with a larger context would see more. But the environment,
too, may limit how many characters all ranked files take together (`ranked_chars`). With 8,000:

| room that is left | a fitting file is left out | shortened |
|---|---|---|
| 0 | perhaps | yes |
| 3,000 | yes | yes |
| 3,000 | no | no |
| 9,000 | yes | no: the ranked files have all of their 8,000 characters |
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
    which files are shown. If the settings of the run have shortened the message, that was wanted.
    """
    return room.limiting_tokens if _is_shortened(writer, files) else 0


def _is_shortened(writer: SectionWriter, files: Iterable[RankedFile]) -> bool:
    """Return True if a file that fits the request is left out because the message is full."""
    if not writer.has_room:
        return True
    if writer.remaining_chars >= writer.tool_schema.ranked_chars:
        return False
    return any(is_fitting_left_out(file) for file in files)
