"""The sections of the first message, and how much room is left in it.

The *room* is the number of characters that the results of all calls together may take. The calls
were made before the model is asked:

    writer = SectionWriter(tool_schema, remaining_chars=7_000)
    show_result(writer, read, call)    # a result of 200 characters: 6,800 remain
    show_result(writer, read, call)    # a result of 10,000: it is cut, and 0 remain
    writer.say("(Not shown: 2 documents of /docs.)")
    writer.sections                    # all three, in the order of the message
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.cut_text import CutText
from controlplane.agent.initial_calls.prompt_sections import Place, Section
from controlplane.sandbox.interface import ToolSchema, bounds


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of one message."""

    tool_schema: ToolSchema
    """The environment's declaration."""
    remaining_chars: int
    """The room that is left. Titles and notices are short, and use up none."""
    citable_chars: dict[int, int] = field(default_factory=dict)
    """How many characters of each result the model may cite, because they are shown, by the
    number of the call. The blanks that are left out of JSON and Markdown count, too."""
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

    def add(self, section: Section, call: CallUnderWay, start: CutText) -> None:
        """Add a section, which shows the start of a call's result."""
        self._sections.append(section)
        self.remaining_chars -= len(section.text)
        if call.outcome().result is not None:  # An error cannot be cited.
            self.citable_chars[call.number] = start.source_chars

    def say(self, text: str) -> None:
        """Add a text that is not a call's result, such as a list of files that are not shown."""
        self._sections.append(Section(Place.REMARK, text))

    @property
    def sections(self) -> list[Section]:
        """The sections in the order of the message: those that other trials have, too, first."""
        return sorted(self._sections, key=lambda section: section.place)
