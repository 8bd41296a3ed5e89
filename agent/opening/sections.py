"""The sections of the first message: the results of initial calls, cut to what there is room for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import re2

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.calls import CallUnderWay
from controlplane.agent.opening.calls import asks_for_help, title_of
from controlplane.sandbox.interface import (
    Effect,
    Operation,
    ToolSchema,
    bounds,
    is_truncated,
)

# The start of a text, as a message to the model shows it.
#
# JSON may be shown without its line breaks and indentation, so more of it is shown than the message
# has characters:
#
# | whole text | `text` | `source_chars` | `hidden_chars` |
# |---|---|---|---|
# | "one\ntwo", of which one line is shown | "one\n" | 4 | 3 |
# | "[\n  4,\n  12\n]", JSON, of which two lines are shown | "[4," | 7 | 6 |


@dataclass(frozen=True, slots=True)
class CutText:
    """The start of a text."""

    text: str
    """What is shown."""
    source_chars: int
    """How many characters of the whole text it stands for."""
    hidden_chars: int = 0
    """How many characters of the whole text follow them."""


def _start_of(text: str, chars: int) -> CutText:
    """Return the first `chars` characters of a text as they are."""
    return CutText(text[:chars], chars, hidden_chars=len(text) - chars)


# Shortens JSON that is indented, so that more of it fits into a message.
#
#     {
#       "a": 4,           ->  {"a":4,"b":12}
#       "b": 12
#     }
#
# It is shortened line by line, because only its beginning may be shown.


def _is_indented_json(text: str) -> bool:
    """Return True for JSON with a line break after its first brackets: `{\\n  "a": 1\\n}`.

    Other texts that begin with a bracket must keep their lines: `[section]\\nkey = 1`.
    """
    if not text.startswith(("{", "[")):
        return False
    first_line, line_break, _ = text.partition("\n")
    has_only_brackets = not first_line.strip("{[ \t\r")
    return bool(line_break) and has_only_brackets


def _compact_line(line: str) -> str:
    r"""Return a line of JSON without the blanks around it and after its key.

    | line | result |
    |---|---|
    | `  "a": "b, c",` | `"a":"b, c",` |
    | `  ": b",`, a string without a key | `": b",` |
    | `  "say \"a\": b"`, where the backslashes make it uncertain what is a key | without the blanks before |
    """
    compact_line = line.strip()
    start, separator, value = compact_line.partition('": ')
    # The quotation mark in the separator ends a key if it is the second one, or the fourth.
    is_closing_mark = start.count('"') % 2 == 1
    if separator and is_closing_mark and "\\" not in start:
        return f'{start}":{value}'
    return compact_line


# The plain letters that characters look like, to find words that hide in other letters.
#
# | character | plain letters |
# |---|---|
# | `Ｓ`, of full width | `s` |
# | `ﬆ`, a ligature | `st` |
# | a zero-width space, or a combining accent | none |

_UNSEEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Unicode categories of characters that are hard to see: controls, formats and combining marks."""
_UNSEEN_LETTERS: Final = "\u115f\u1160"
"""Hangul fillers: letters without a shape."""


def _plain_letters(char: str) -> str:
    """Return the plain letters that a character looks like: `Ｓ` -> `s`, `ﬆ` -> `st`.

    Invisible characters give none, but blanks stay.
    """
    # NFKD is the form of Unicode in which letters have no width or style of their own.
    letters = ""
    for letter in unicodedata.normalize("NFKD", char).casefold():
        is_unseen = unicodedata.category(letter) in _UNSEEN_CATEGORIES
        if letter.isspace() or not (is_unseen or letter in _UNSEEN_LETTERS):
            letters += letter
    return letters


# Escapes text that imitates the marks of the first message.
#
# The first message shows each document between `<section title="...">` and `</section>`,
# and ends with the request in `<instruction>`. A document could contain such a mark, and
# so pretend to be the request. Therefore every mark in a shown text is escaped, even if
# it is written in look-alike letters.

_MARK_NAMES: Final = ("section", "instruction")
"""The names of the marks that the first message uses."""
_OPENING_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
"""A less-than sign, and characters that look like one."""
_CLOSING_LOOKALIKES: Final = "ᐸᐳ"
"""Look-alikes of `<` and `>` that Unicode counts as letters. They still end a mark's name."""


def without_marks(text: str, names: Sequence[str] = _MARK_NAMES) -> str:
    """Return a text with its imitated marks escaped: `</section>` -> `&lt;/section>`."""
    parts = []
    copied_to = 0
    for sign in _OPENING_SIGN.finditer(text):
        if _has_mark_name(text, sign.end(), names):
            parts.append(text[copied_to : sign.start()])
            parts.append("&lt;")
            copied_to = sign.end()
    parts.append(text[copied_to:])
    return "".join(parts)


def _has_mark_name(text: str, start: int, names: Sequence[str]) -> bool:
    """Return True if a mark's name, such as `section`, begins at a position of a text.

        section>, /section>, section title="x">, / ＳＥＣＴＩＯＮ >  -> True
        sections>, h1>                                      -> False

    The name is read letter by letter, until it is a mark's name or cannot become one.
    """
    letters = ""
    for position in range(start, len(text)):
        letters += _plain_letters(text[position])
        # Blanks and slashes may stand before the name.
        while letters and (letters[0].isspace() or letters[0] in "/\\"):
            letters = letters[1:]
        if letters in names:
            # A letter after the name makes it longer, as in `sections`. The end of the text does not.
            next_char = text[position + 1 : position + 2]
            continues = next_char.isalnum() or next_char == "_"
            return not continues or next_char in _CLOSING_LOOKALIKES
        if not any(name.startswith(letters) for name in names):
            return False
    return False


# The sections of the first message.
#
# Most show the result of an *initial call*, which is made before the model is asked:
#
#     <section title="read /docs/keys.md (not begun)">
#     A key is lent for a day.
#     </section>
#     (3200 more characters: read)


class SectionPlace(IntEnum):
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

    place: SectionPlace
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
    def chars(self) -> int:
        """The characters of the section in the message."""
        return sum(len(piece) for piece in self.pieces)

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


# Tells the model how to read the rest of a result that is shown only in part.
#
# | what is shown | notice |
# |---|---|
# | 6,800 of 10,000 characters | `(3200 more characters: read)` |
# | the same, and the environment has `read_all` | `(3200 more characters: read_all(path))` |
# | all that the environment has returned, which is only a part | `(It goes on: read)` |

READ_ALL: Final = "read_all"
"""The function that returns a whole file. Some environments have it because `read` cuts
long files. A shortened text then says that it reads the rest."""


def _rest_notice(
    schema: ToolSchema, operation: Operation, outcome: CallRecord, hidden_chars: int
) -> str:
    """Return how the model can read the rest of a result; empty if it is shown whole.

    The rest is what the message has no room for (`hidden_chars`), or what the environment
    itself left out (`truncated`).
    """
    call_to_read_on = operation.name
    has_read_all = schema.operation(READ_ALL) is not None
    if has_read_all and operation.effect is Effect.READS:
        call_to_read_on = f"{READ_ALL}(path)"
    if hidden_chars > 0:
        return f"\n({hidden_chars} more characters: {call_to_read_on})"
    if outcome.result is not None and is_truncated(outcome.result):
        return f"\n(It goes on: {call_to_read_on})"
    return ""


def _without_blank_lines(text: str) -> str:
    """Return a text without the blank lines within it, which only take room in Markdown."""
    first, *others = text.split("\n")
    within = [line for line in others[:-1] if line.strip(" \t")]
    return "\n".join([first, *within, *others[-1:]])


# The sections of the first message, and how much room is left in it.
#
# The *room* is the number of characters that the texts of all sections together may take. If a model
# replies to at most 7,000 characters of results:
#
#     writer = SectionWriter(tool_schema, remaining_chars=7_000)
#     writer.show_result(read, call, text, None)              # 200 characters: 6,800 remain
#     writer.room_for_result(1_000)                           # -> 1,000
#     writer.say("(Not shown: 2 documents of /docs.)")        # uses up no room
#     writer.sections                                         # both, in the order of the message


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

    def add_result(
        self,
        place: SectionPlace,
        operation: Operation,
        call: CallUnderWay,
        start: CutText,
        remark: str = "",
    ) -> Section:
        """Add the section with the start of a call's result or error, and return it.

        Its title and its notice are short, so only the text uses up room. `remark` follows the
        title of a file: ` (not begun)`.
        """
        outcome = call.outcome()
        title = title_of(operation, outcome.arguments)  # `read /docs/keys.md`
        text = start.text
        if title.lower().endswith(".md"):
            text = _without_blank_lines(text)
        notice = _rest_notice(self.tool_schema, operation, outcome, start.hidden_chars)
        section = Section(place, text, outcome, title, remark, notice)
        self._sections.append(section)
        self.remaining_chars -= len(text)
        if outcome.result is not None:  # An error cannot be cited.
            # JSON and Markdown are shown without some blanks, which may be cited all the same.
            self.citable_chars[call.number] = start.source_chars
        return section

    def show_result(
        self, operation: Operation, call: CallUnderWay, text: str, max_chars: int | None
    ) -> None:
        """Add the `text` of a declared call's result or error, at most `max_chars` characters."""
        place = SectionPlace.CASE  # what is different in each trial, such as the time
        if asks_for_help(call.outcome().arguments):
            place = SectionPlace.HELP
        elif operation.effect is Effect.READS:
            place = SectionPlace.DOCUMENT
        start = _text_start(text, self.room_for_result(max_chars))  # the first lines
        self.add_result(place, operation, call, start)

    def leave_out(self, section: Section) -> None:
        """Remove the section of a call that was added before."""
        self._sections.remove(section)
        self.remaining_chars += len(section.text)
        if section.call is not None:
            self.citable_chars.pop(section.call.number, None)

    def say(self, text: str) -> None:
        """Add a short text that is not a call's result, such as a list of files not shown."""
        self._sections.append(Section(SectionPlace.REMARK, text))

    @property
    def sections(self) -> list[Section]:
        """The sections in the order of the message: those that other trials have, too, first."""
        return sorted(self._sections, key=lambda section: section.place)


# Returns the start of a text that a section of the first message has room for.
#
# JSON with indentation may be shown without it, so that more of it fits. Of the text "one\ntwo":
#
#     _text_start(text, 5)    -> "one": other texts come after it, so a newline at its end is not shown
#     _text_start(text, 2)    -> "on", since not even the first line fits
#     whole_lines(text, 5)    -> "one\n", for a model that can ask for the rest from the next line on
#     whole_lines(text, 2)    -> ""


def _text_start(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit. A first line that is too long is cut."""
    if len(text) <= max_chars:
        return _start_of(text, len(text))
    # The newline after the last line is not shown, so it may lie just beyond the room.
    line_end = text.rfind("\n", 0, max_chars + 1)
    return _start_of(text, line_end if line_end > 0 else max_chars)


def compact_text_start(text: str, max_chars: int) -> CutText:
    """Return what `_text_start` does, but JSON without indentation."""
    start = compact_lines(text, max_chars) if _is_indented_json(text) else None
    if start is None or not start.text:  # Not even its first line fits.
        return _text_start(text, max_chars)
    return start


def whole_lines(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit, with their newlines. It may be none."""
    if len(text) <= max_chars:
        return _start_of(text, len(text))
    return _start_of(text, text.rfind("\n", 0, max_chars) + 1)


def compact_lines(text: str, max_chars: int) -> CutText:
    """Return as many whole lines of a text as fit, JSON without indentation. It may be none."""
    if not _is_indented_json(text):
        return whole_lines(text, max_chars)
    shown = ""
    source_chars = 0
    # `splitlines` would also split at a U+2028, which a string in JSON may have.
    for line in text.split("\n"):
        compact_line = _compact_line(line)
        if len(shown) + len(compact_line) > max_chars:
            return CutText(shown, source_chars, hidden_chars=len(text) - source_chars)
        shown += compact_line
        source_chars += len(line) + 1  # with its newline
    return CutText(shown, len(text))  # All lines fit.
