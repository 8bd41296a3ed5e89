"""The sections of the first message, and how much room is left in it.

The *room* is the number of characters that the texts of all sections together may take. If a model
replies to at most 7,000 characters of results:

    writer = SectionWriter(tool_schema, remaining_chars=7_000)
    writer.add_result(Section(Place.DOCUMENT, ...), ...)    # 200 characters: 6,800 remain
    writer.room_for_result(1_000)                           # -> 1,000
    writer.say("(Not shown: 2 documents of /docs.)")        # uses up no room
    writer.sections                                         # both, in the order of the message
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.sections.cut_text import CutText
from controlplane.agent.initial_calls.sections.prompt_sections import Place, Section
from controlplane.sandbox.interface import ToolSchema, bounds


@dataclass(slots=True)
class SectionWriter:
    """Keeps the sections of one message."""

    tool_schema: ToolSchema
    """The environment's declaration."""
    remaining_chars: int
    """The room that is left."""
    citable_chars: dict[int, int] = field(default_factory=dict)
    """How many characters of a call's result the sections show, by the number of the call. The
    model may cite these."""
    _sections: list[Section] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        """True if something more may be shown."""
        return self.remaining_chars > 0

    def room_for_result(self, max_chars: int | None) -> int:
        """Return how many characters the next result may take, at most `max_chars`."""
        room = min(bounds.SHOWN_RESULT_CHARS, self.remaining_chars)
        if max_chars is not None:
            room = min(room, max_chars)
        return max(room, 0)

    def add_result(self, section: Section, call: CallUnderWay, start: CutText) -> None:
        """Add the section with the start of a call's result or error.

        Its title and its notice are short, so only the text uses up room.
        """
        self._sections.append(section)
        self.remaining_chars -= len(section.text)
        if call.outcome().result is not None:  # An error cannot be cited.
            # JSON and Markdown are shown without some blanks, which may be cited all the same.
            self.citable_chars[call.number] = start.source_chars

    def say(self, text: str) -> None:
        """Add a short text that is not a call's result, such as a list of files not shown."""
        self._sections.append(Section(Place.REMARK, text))

    @property
    def sections(self) -> list[Section]:
        """The sections in the order of the message: those that other trials have, too, first."""
        return sorted(self._sections, key=lambda section: section.place)
