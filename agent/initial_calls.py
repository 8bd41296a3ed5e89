"""The initial calls of a trial, at most 24, and the sections in which the first message shows their results."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import re2

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.recorder import CallUnderWay, Recorder
from controlplane.sandbox.interface import Effect, Operation, Plain, Tree, bounds


class InitialCalls:
    """The initial calls. Calls that only read go out at once, if the environment allows several at a time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.tool_schema = recorder.tool_schema
        self._sent: dict[str, CallUnderWay] = {}

    @property
    def spare(self) -> int:
        """Calls that may still be made: 24 in all, those that are declared before others."""
        return max(24 - len(self._sent), 0)

    def send(
        self, operation: str, arguments: Mapping[str, Plain], *, attempt: int = 1
    ) -> CallUnderWay:
        """Begin a call, or return the same call that was begun before; one that may change something is made alone."""
        key = key_of(operation, arguments) + (f" {attempt}" if attempt > 1 else "")
        if key not in self._sent:
            only_reads = not self.tool_schema.may_change(operation, arguments)
            if not only_reads:
                for call in self._sent.values():
                    self.recorder.outcome(call)
            self._sent[key] = self.recorder.send(operation, arguments, begins=only_reads)
            if not (only_reads and self.tool_schema.reads_side_by_side):
                self.recorder.outcome(self._sent[key])
        return self._sent[key]

    def result(self, call: CallUnderWay) -> Mapping[str, Plain]:
        """Wait for a call and return its result; an empty mapping if it failed."""
        return self.recorder.outcome(call).result or {}

    def read(self, operation: Operation | None, paths: Iterable[str], most: int) -> None:
        """Begin to read files, at most `most`, as long as there are calls to spare."""
        left = [path for path in paths if self.sent(operation, path) is None]
        if operation is not None:
            for path in left[: max(min(most, self.spare), 0)]:
                self.send(operation.name, {operation.subject: path})

    def sent(self, operation: Operation | None, path: str) -> CallUnderWay | None:
        """Return the call that reads a file, if it was begun."""
        return (
            self._sent.get(key_of(operation.name, {operation.subject: path})) if operation else None
        )

    def texts(self, operation: Operation | None, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of those of the files that were read."""
        results = [
            (path, self.result(call)) for path in paths if (call := self.sent(operation, path))
        ]
        return {
            path: result_text(operation, result) for path, result in results if operation and result
        }

    @property
    def begun(self) -> list[CallUnderWay]:
        """The calls in the order in which they were sent."""
        return [*self._sent.values()]


def key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return the key of a call, by which the same call is made once."""
    return f"{operation}{arguments if len(arguments) == 1 else sorted(arguments.items())}"


_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
READ_ALL: Final = "read_all"
"""The function that returns the whole of a file of which a read returns only a part, if the environment has one."""
_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
_NAMES: Final = ("section", "instruction")
"""The names of the marks that the initial prompt itself sets."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Categories of characters that a reader does not see: controls, invisible formats, and marks on a letter."""
_FILLERS: Final = "\u115f\u1160"


class Place(IntEnum):
    """The place of a section in the initial prompt: sections that many trials share come first, for a provider's
    cache."""

    DOCUMENT = 0
    """A document that every trial is shown, such as the rules."""
    HELP = 1
    """A tool's own description."""
    FITTING = 2
    """A document that fits the instruction, or is named in it."""
    CASE = 3
    """The listing of files, who asks, and when."""
    WHAT_IS_NOT_SHOWN = 4


def without_marks(text: str, names: Sequence[str] = _NAMES) -> str:
    """Return a text without anything that reads like a mark of one of these names, else like those of the initial
    prompt."""
    escaped: str = _SIGN.sub(
        lambda sign: "&lt;" if _is_mark(text, sign.end(), names) else sign[0], text
    )
    return escaped


def _is_mark(text: str, start: int, names: Sequence[str]) -> bool:
    """Say whether a mark's name follows, in letters of any width, style and case, unseen characters left out."""
    name = ""
    for at in range(start, len(text)):
        for char in unicodedata.normalize("NFKD", text[at]).casefold():
            is_unseen = char in _FILLERS or (
                unicodedata.category(char) in _UNSEEN and not char.isspace()
            )
            if not is_unseen and (name or not (char.isspace() or char in "/\\")):
                name += char
        if name in names:
            after = text[at + 1 : at + 2]
            return after in "ᐸᐳ" or not (after.isalnum() or after == "_")
        if not any(other.startswith(name) for other in names):
            break
    return False


def title_of(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return the title of a call's section."""
    args = arguments.get("args")
    words = args if isinstance(args, list) else []
    return " ".join(
        filter(None, map(str, [operation.name, arguments.get(operation.subject) or "", *words]))
    )


def is_help(arguments: Mapping[str, Plain]) -> bool:
    """Say whether a call asks a tool to describe itself."""
    return arguments.get("args") == ["--help"]


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: its one text field, its tree, or its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))
    texts = [
        str(result[declared.name])
        for declared in operation.fields
        if isinstance(result.get(declared.name), str)
    ]
    texts = [text for text in texts if text and text != result.get(operation.subject)]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)


def joined_lines(text: str, room: int) -> tuple[str, int]:
    """Return the text in at most `room` characters, and how many characters of the text this shows.

    The lines of a JSON object or list are joined without blanks; any other text stays unchanged.
    """
    if not text.startswith(("{", "[")):
        return text[:room], min(len(text), room)
    shown, consumed = "", 0
    for line in text.splitlines(keepends=True):
        key, mark, value = line.strip().partition('": ')
        part = (
            f'{key}":{value}' if mark and line[:1].isspace() and "\\" not in key else line.strip()
        )
        if len(shown) + len(part) > room:
            break
        shown += part
        consumed += len(line)
    return shown, consumed


def shown_length(text: str) -> int:
    """Return the characters that a text takes if it is shown in full."""
    shown, _ = joined_lines(text, len(text))
    return len(shown)


@dataclass(frozen=True, slots=True)
class Section:
    """The part of the initial prompt that shows one call's result, or a text of its own."""

    place: Place
    shown: str
    call: CallRecord | None = None
    title: str = ""
    """The call, and what was found out about its file."""
    notice: str = ""
    """Says in parentheses how much is not shown, and how to read on."""

    @property
    def pieces(self) -> list[str]:
        """The pieces of the section in the initial prompt."""
        if self.call is None:
            return [without_marks(self.shown)]
        title = " ".join(without_marks(self.title).replace('"', "&quot;").splitlines())
        end = f"\n</section>{self.notice}\n"
        return [f'<section title="{title}">\n', without_marks(self.shown.rstrip("\n")), end]


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of the initial prompt, as far as there is room; the rest of a text does not count as read."""

    recorder: Recorder
    left: int
    """Characters that may still be shown."""
    shown_chars: dict[int, int] = field(default_factory=dict)
    """The characters of its result that are shown, by the number of a call."""
    _sections: list[Section] = field(default_factory=list)

    def room(self, most: int | None = None) -> int:
        """Return how many characters the next section may take, `most` at most."""
        return max(
            min(
                bounds.SHOWN_RESULT_CHARS if most is None else most,
                bounds.SHOWN_RESULT_CHARS,
                self.left,
            ),
            0,
        )

    def show(
        self,
        operation: Operation,
        call: CallUnderWay,
        most: int | None = None,
        *,
        text: str | None = None,
        fits: str | None = None,
    ) -> int:
        """Show a call's result, or a text in its place, as far as there is room, and return the section's characters.

        `fits` says something about a file that is shown because it fits the instruction; it may be empty.
        """
        made, arguments = self.recorder.outcome(call), call.call.arguments
        result, title = made.result or {}, title_of(operation, arguments)
        if text is None:
            failure = f"(failed: {made.error.code}: {made.error.message})" if made.error else ""
            text = failure or result_text(operation, result)
        shown, length = _shown(text, self.room(most), joins=fits is not None)
        if title.lower().endswith(".md"):
            shown = _BLANK_LINES.sub("\n", shown)
        if made.result is not None:
            self.shown_chars[call.number] = length
        self.left -= len(shown)
        reads_on = (
            operation.effect is Effect.READS
            and self.recorder.tool_schema.operation(READ_ALL) is not None
        )
        by, cut = f"{READ_ALL}(path)" if reads_on else operation.name, len(text) - length
        goes_on = f"\n(It goes on: {by})" if result.get("truncated") is True else ""
        place = Place.DOCUMENT if operation.effect is Effect.READS else Place.CASE
        place = Place.FITTING if fits is not None else Place.HELP if is_help(arguments) else place
        notice = f"\n({cut} more characters: {by})" if cut > 0 else goes_on
        section = Section(place, shown, call.call, title + (fits or ""), notice)
        self._sections.append(section)
        return sum(map(len, section.pieces))

    def say(self, text: str) -> None:
        """Add a text beside the sections: a list of what is not shown."""
        self._sections.append(Section(Place.WHAT_IS_NOT_SHOWN, text))

    @property
    def sections(self) -> list[Section]:
        """The sections so far: first those that other trials share, last this trial's own."""
        return sorted(self._sections, key=lambda section: section.place)


def _shown(text: str, chars: int, *, joins: bool) -> tuple[str, int]:
    """Return the part of a text that is shown in `chars` characters, to a line's end, and its length in the text."""
    if joins and text.startswith(("{", "[")):
        shown, length = joined_lines(text, chars)
        if length:
            return shown, length
    end = text.rfind("\n", 0, chars + 1) if len(text) > chars else len(text)
    shown = text[: end if end > 0 else chars]
    return shown, len(shown)
