"""The sections of the first message.

Most show the result of an *initial call*, which is made before the model is asked:

    <section title="read /docs/keys.md (not begun)">
    A key is lent for a day.
    </section>
    (3200 more characters: read)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from controlplane.agent.events import CallRecord
from controlplane.agent.initial_calls.sections.section_marks import without_marks


class Place(IntEnum):
    """The place of a section in the first message.

    Sections that many trials share come first, so that a provider can cache the start
    of the message.
    """

    DOCUMENT = 0
    """A document that is shown in every trial, such as the rules."""
    HELP = 1
    """A tool's own description."""
    FITTING = 2
    """A document that fits the instruction, or is named in it."""
    CASE = 3
    """The listing of files, the user who asks, and the time."""
    REMARK = 4
    """A text that is not the result of a call, such as the list of the files that are not shown."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the first message: the result of a call, or another text."""

    place: Place
    text: str
    """The shown text. It may be only the beginning of the result."""
    call: CallRecord | None = None
    """The call; None for another text."""
    title: str = ""
    """The call in words: `read /docs/keys.md`."""
    file_remark: str = ""
    """What is to be said about the file, after the title: ` (not begun)`, for a document
    that is not yet in force."""
    cut_notice: str = ""
    """How much of the result is left out, and how to read on:
    `\\n(3200 more characters: read)`."""

    @property
    def pieces(self) -> list[str]:
        """The section's title line, text and end, to be joined without separators."""
        if self.call is None:
            return [without_marks(self.text)]
        title_text = without_marks(self.title + self.file_remark).replace('"', "&quot;")
        title = " ".join(title_text.splitlines())
        body = without_marks(self.text.rstrip("\n"))
        return [
            f'<section title="{title}">\n',
            body,
            f"\n</section>{self.cut_notice}\n",
        ]
