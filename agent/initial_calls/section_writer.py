"""Writes the sections of the first message, each with the result of a call.

The call was made before the model is asked. If `read /docs/keys.md` has returned 10,000
characters, and the message has room for 6,800, the section is

    <section title="read /docs/keys.md">
    (the first 6,800 characters, up to the end of a line)
    </section>
    (3200 more characters: read)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import re2

from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.call_texts import (
    asks_for_help,
    how_to_read_on,
    outcome_text,
    title_of,
)
from controlplane.agent.initial_calls.cut_texts import (
    CutText,
    compact_to_line,
    cut_to_line,
)
from controlplane.agent.initial_calls.prompt_sections import Place, Section
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
    bounds,
)

_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
"""Matches a line end with all blank lines after it."""


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of the first message until its *room* is used.

    The room is the number of characters that all results together may take:

        writer = SectionWriter(tool_schema, remaining_chars=7_000)
        writer.show_result(read, call)    # a result of 200 characters: 6,800 remain
        writer.show_result(read, call)    # a result of 10,000: it is cut, and 0 remain
        writer.sections                   # both, in the order of the message
    """

    tool_schema: ToolSchema
    """The environment's declaration."""
    remaining_chars: int
    """The room that is left."""
    citable_chars: dict[int, int] = field(default_factory=dict)
    """How many characters of each result are shown, by the number of the call. The model may
    cite only these."""
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

    def show_result(
        self,
        operation: Operation,
        call: CallUnderWay,
        max_chars: int | None = None,
        *,
        drawing: str | None = None,
    ) -> None:
        """Wait for a call of the operation, and add a section with its result, or its error.

        It has at most `max_chars` characters; None for as many as there is room. For a call
        that lists folders, `drawing` is shown instead of the result.
        """
        outcome = call.outcome()
        text = drawing
        if text is None:
            text = outcome_text(operation, outcome)
        room = self.room_for_result(max_chars)
        start = cut_to_line(text, room)
        place = usual_place(operation, outcome.arguments)
        self._add(place, operation, call, start)

    def show_fitting_file(
        self, operation: Operation, call: CallUnderWay, max_chars: int, remark: str
    ) -> int:
        """Wait for the call that reads a file, add a section, and return the section's length.

        The file is shown because it fits the request, not for every request. `remark` follows
        its title: ` (not begun)` says that a document is not yet in force.
        """
        text = outcome_text(operation, call.outcome())
        # The file may be a record in JSON, of which more fits without the indentation.
        room = self.room_for_result(max_chars)
        start = compact_to_line(text, room)
        section = self._add(Place.FITTING, operation, call, start, remark)
        return sum(len(piece) for piece in section.pieces)

    def _add(
        self,
        place: Place,
        operation: Operation,
        call: CallUnderWay,
        start: CutText,
        remark: str = "",
    ) -> Section:
        """Add a section with the start of a call's result, and return it.

        It uses up as much room as the shown text has characters. The title and the notice of
        what is hidden are short, and use up none.
        """
        outcome = call.outcome()
        title = title_of(operation, outcome.arguments)
        text = without_blank_lines(start.text, title)
        self.remaining_chars -= len(text)

        if outcome.result is not None:  # An error cannot be cited.
            # The blanks that are left out of JSON and Markdown count as shown, too.
            self.citable_chars[call.number] = start.source_chars
        notice = how_to_read_on(
            self.tool_schema, operation, outcome, start.hidden_chars
        )
        section = Section(place, text, call.call, title, remark, notice)
        self._sections.append(section)
        return section

    def say(self, text: str) -> None:
        """Add a text that is not a call's result, such as a list of files that are not shown."""
        self._sections.append(Section(Place.REMARK, text))

    @property
    def sections(self) -> list[Section]:
        """The sections in the order of the message.

        Those that other trials have, too, come first, so that a provider can cache them.
        """
        return sorted(self._sections, key=lambda section: section.place)


def usual_place(operation: Operation, arguments: Mapping[str, Plain]) -> Place:
    """Return the place in the message of a call's section, except that of a fitting file.

    Texts of help and files come first, as other trials have them, too: so a provider can cache
    them. The results of other calls, such as the time, are about this case.
    """
    if asks_for_help(arguments):
        return Place.HELP
    if operation.effect is Effect.READS:
        return Place.DOCUMENT
    return Place.CASE


def without_blank_lines(text: str, title: str) -> str:
    """Return a Markdown file without its blank lines, and any other text as it is."""
    is_markdown = title.lower().endswith(".md")
    return _BLANK_LINES.sub("\n", text) if is_markdown else text
