"""Decides whether a first message was shortened, so that files which fit the request are missing.

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

from controlplane.agent.events import RankedFile
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.retrieval.selection.journal_rows import is_fitting_left_out


def lacks_room(
    writer: SectionWriter, ranked_files: tuple[RankedFile, ...], ranked_chars: int
) -> bool:
    """Return True if a file that fits the request is left out because the message is full."""
    if not writer.has_room:
        return True
    if writer.remaining_chars >= ranked_chars:
        return False
    return any(is_fitting_left_out(file) for file in ranked_files)
