"""Writes the sections of the first message.

Most show the result of an *initial call*, which is made before the model is asked. The
results are cut to the *room*: the number of characters that the message may have.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import re2

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.initial_calls.section_marks import without_marks
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    Plain,
    ToolSchema,
    Tree,
    bounds,
)

READ_ALL: Final = "read_all"
"""The function that returns a whole file, which some
environments have because `read` cuts long files."""


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
    """The text, cut to the room."""
    call: CallRecord | None = None
    """The call; None for another text."""
    title: str = ""
    """The call in words: `read /docs/a.md`."""
    remark: str = ""
    """A remark about its file, such as that a notice is in force."""
    notice: str = ""
    """A remark in parentheses on how much is left out, and how to read on."""

    @property
    def pieces(self) -> list[str]:
        """The section's title, text and end, to be joined without separators."""
        if self.call is None:
            return [without_marks(self.text)]
        title_text = without_marks(self.title + self.remark).replace('"', "&quot;")
        title = " ".join(title_text.splitlines())
        body = without_marks(self.text.rstrip("\n"))
        return [f'<section title="{title}">\n', body, f"\n</section>{self.notice}\n"]


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of the first message until its room is used.

    `shown_chars` says how much of each result is shown. The rest does not count as read,
    so the model may not cite it.
    """

    tool_schema: ToolSchema
    remaining_chars: int
    """Characters that may still be shown."""
    shown_chars: dict[int, int] = field(default_factory=dict)
    """By the number of a call, how many characters of its result are shown."""
    _sections: list[Section] = field(default_factory=list)

    @property
    def has_room(self) -> bool:
        """True if something may still be shown."""
        return self.remaining_chars > 0

    def room(self, max_chars: int | None = None) -> int:
        """Return how many characters the next section may take, at most `max_chars`."""
        room = min(bounds.SHOWN_RESULT_CHARS, self.remaining_chars)
        if max_chars is not None:
            room = min(room, max_chars)
        return max(room, 0)

    def show(
        self,
        operation: Operation,
        call: CallUnderWay,
        max_chars: int | None = None,
        *,
        text: str | None = None,
        is_fitting: bool = False,
        remark: str = "",
    ) -> int:
        """Add a section with a call's result.

        Return how many characters the section has.

        - `max_chars` limits the text of the section.
        - `text` is shown instead of the result.
        - `is_fitting`: the result is a file that was
          chosen because it fits the instruction.
        - `remark` follows the title. For example, ` (not begun)` says that a document
          is not yet in force.
        """
        outcome = call.outcome()
        title = title_of(operation, outcome.arguments)
        if text is None:
            text = _outcome_text(operation, outcome)

        # A fitting file may be a JSON record, which is shown without indentation.
        cut = _cut_to_line(text, self.room(max_chars), compacts_json=is_fitting)
        if outcome.result is not None:
            self.shown_chars[call.number] = cut.source_chars
        shown = cut.text
        if title.lower().endswith(".md"):
            shown = _BLANK_LINES.sub("\n", shown)
        self.remaining_chars -= len(shown)

        place = _usual_place(operation, outcome.arguments)
        if is_fitting:
            place = Place.FITTING
        notice = self._notice(operation, outcome, len(text) - cut.source_chars)
        section = Section(place, shown, call.call, title, remark, notice)
        self._sections.append(section)
        return sum(len(piece) for piece in section.pieces)

    def _notice(self, operation: Operation, outcome: CallRecord, hidden: int) -> str:
        """Return how to read on, if a result was cut to the room or by the environment; else empty.

        `hidden` is the number of characters that did not fit into the room.
        """
        has_read_all = self.tool_schema.operation(READ_ALL) is not None
        reads_on = operation.name
        if has_read_all and operation.effect is Effect.READS:
            reads_on = f"{READ_ALL}(path)"
        if hidden > 0:
            return f"\n({hidden} more characters: {reads_on})"
        if outcome.result is not None and outcome.result.get("truncated") is True:
            return f"\n(It goes on: {reads_on})"
        return ""

    def say(self, text: str) -> None:
        """Add a text that is not a call's result, such as a list of files that are not shown."""
        self._sections.append(Section(Place.REMARK, text))

    @property
    def sections(self) -> list[Section]:
        """The sections in the order of their places: those that trials share come first."""
        return sorted(self._sections, key=lambda section: section.place)


# Texts of calls ---------------------------------------------------------------------------------


def title_of(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return the title of a call's section: `read /docs/a.md`, `exec /bin/date --help`."""
    words = [operation.name, str(arguments.get(operation.subject) or "")]
    command_arguments = arguments.get("args")
    if isinstance(command_arguments, list):
        words += [str(argument) for argument in command_arguments]
    return " ".join(word for word in words if word)


def _outcome_text(operation: Operation, outcome: CallRecord) -> str:
    """Return the result of a call as text, or its error."""
    if outcome.error:
        return f"(failed: {outcome.error.code}: {outcome.error.message})"
    return result_text(operation, outcome.result or {})


def _usual_place(operation: Operation, arguments: Mapping[str, Plain]) -> Place:
    """Return the place of a call's section if it is not about a fitting file."""
    if is_help(arguments):
        return Place.HELP
    if operation.effect is Effect.READS:
        return Place.DOCUMENT
    return Place.CASE


def is_help(arguments: Mapping[str, Plain]) -> bool:
    """Return True if a call asks a tool for its help text."""
    return arguments.get("args") == ["--help"]


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: a drawn tree, its only text, or all its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))

    # Leave out texts that are empty or repeat the call's path. If one text is left,
    # show only that.
    texts = []
    for declared in operation.fields:
        value = result.get(declared.name)
        repeats_subject = value == result.get(operation.subject)
        if isinstance(value, str) and value and not repeats_subject:
            texts.append(value)
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)


# Cutting texts ----------------------------------------------------------------------------------


_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
"""Matches a line end with all blank lines after it."""


@dataclass(frozen=True, slots=True)
class CutText:
    """The start of a text, as it is shown."""

    text: str
    source_chars: int
    """How many characters of the whole text it stands for:
    12 for `{"a":1}`, which is short for `{\\n "a": 1\\n}`."""


def _cut_to_line(text: str, max_chars: int, *, compacts_json: bool) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut.

    With `compacts_json`, JSON is shown without indentation, so that more of it fits.
    """
    if compacts_json and _is_json(text):
        compact = compact_start(text, max_chars)
        if compact.text:
            return compact
    if len(text) <= max_chars:
        return CutText(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    source_chars = line_end if line_end > 0 else max_chars
    return CutText(text[:source_chars], source_chars)


def compact_start(text: str, max_chars: int) -> CutText:
    """Return the start of a text in at most `max_chars`.

    JSON is shown without indentation, and up to its last line that fits:
    `{\\n  "a": 1\\n}` -> `{"a":1}`. Other texts are only cut.
    """
    if not _is_json(text):
        shown = text[:max_chars]
        return CutText(shown, len(shown))
    shown = ""
    source_chars = 0
    for line in text.splitlines(keepends=True):
        compact_line = _compact_json_line(line)
        if len(shown) + len(compact_line) > max_chars:
            break
        shown += compact_line
        source_chars += len(line)
    return CutText(shown, source_chars)


def _compact_json_line(line: str) -> str:
    """Return a line of JSON without the blanks around it and after its key.

    `  "a": 1,` -> `"a":1,`

    The blank stays if it may be inside a string. That is possible in two cases: the line
    has no indentation, so it may hold all of the JSON; or the text before the blank has
    a backslash, so its quotation mark may not end the key.
    """
    compact_line = line.strip()
    key, separator, value = compact_line.partition('": ')
    is_indented = line[:1].isspace()
    has_escape = "\\" in key
    if not separator or not is_indented or has_escape:
        return compact_line
    return f'{key}":{value}'


def _is_json(text: str) -> bool:
    return text.startswith(("{", "["))


def shown_length(text: str) -> int:
    """Return the number of characters that a text takes if it is shown in full."""
    return len(compact_start(text, len(text)).text)
