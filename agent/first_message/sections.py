"""The sections of the initial prompt: what each shows of a call's result, within limits, and the order in which they
stand."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import re2

from agent.events import CallRecord
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.first_message.listed_files import ListedFiles
from sandbox.interface import Effect, InitialCall, Operation, Plain, Tree

_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
READ_ALL: Final = "read_all"
"""The function that returns the whole of a file of which a read returns only a part, if the environment has one."""
HELP: Final = ["--help"]
"""The arguments with which a tool describes itself."""
_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
_NAMES: Final = ("section", "instruction")
"""The names of the marks that the initial prompt itself sets."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Categories of characters that a reader does not see: controls, invisible formats, and marks on a letter."""
_FILLERS: Final = "\u115f\u1160"
_FOLDER: Final = re2.compile(r"/[\w./-]*[\w/]")


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


@dataclass(slots=True)
class Room:
    """Characters that several sections share."""

    left: int


@dataclass(frozen=True, slots=True)
class Section:
    """A call whose result is to be shown."""

    operation: Operation
    title: str
    call: CallUnderWay
    declared: InitialCall | None = None
    room: Room | None = None
    """Set for a file that is shown for its name, or because it fits the instruction."""
    chars: int = 0
    """Max characters that it takes of `room`."""
    listing: ListedFiles | None = None
    """The files of a tree."""

    @property
    def place(self) -> Place:
        """Its place in the initial prompt."""
        if self.room is not None:
            return Place.FITTING
        if self.operation.effect is Effect.EXECUTES:
            return Place.HELP if self.call.call.arguments.get("args") == HELP else Place.CASE
        return Place.DOCUMENT if self.operation.effect is Effect.READS else Place.CASE

    @property
    def subject(self) -> str:
        """The subject of the call: a path, for files."""
        return str(self.call.call.arguments.get(self.operation.subject))

    @property
    def root(self) -> str:
        """The root folder of a tree."""
        arguments = self.call.call.arguments
        return str(arguments.get(self.operation.subject) or arguments.get("root") or "/")

    def limited(self, chars: int) -> int:
        """Return how many of `chars` characters the section may take."""
        if self.room is not None:
            chars = min(chars, self.chars, self.room.left)
        if self.declared is not None and self.declared.most_chars is not None:
            chars = min(chars, self.declared.most_chars)
        return chars

    def text(self, result: Mapping[str, Plain], instruction: str, chars: int) -> str:
        """Return the whole text of the call's result; for a tree without room, its folders with their counts."""
        if self.listing is None:
            return result_text(self.operation, result)
        longest = self.declared.longest_listing if self.declared else None
        longest = len(self.listing.files) if longest is None else longest
        text = self.listing.drawn(longest, root=self.root, in_full=_FOLDER.findall(instruction))
        return text if len(text) <= chars else self.listing.drawn(0, root=self.root)

    def shown(self, text: str, chars: int) -> tuple[str, int]:
        """Return the part of the text that is shown in `chars` characters, to a line's end, and its length there."""
        is_page = self.subject.lower().endswith(".md")
        if self.room is not None and text.startswith(("{", "[")):
            shown, length = joined_lines(text, chars)
            if length:
                return shown, length
        end = text.rfind("\n", 0, chars + 1) if len(text) > chars else len(text)
        shown = text[: end if end > 0 else chars]
        return _BLANK_LINES.sub("\n", shown) if is_page else shown, len(shown)

    def pieces(self, shown: str, notice: str) -> list[str]:
        """Return the pieces of the section in the initial prompt."""
        title = " ".join(without_marks(self.title).replace('"', "&quot;").splitlines())
        below = f"\n({notice})" if notice else ""
        return [f'<section title="{title}">\n', without_marks(shown.rstrip("\n")), f"\n</section>{below}\n"]


def without_marks(text: str, names: Sequence[str] = _NAMES) -> str:
    """Return a text without anything that reads like a mark of one of these names, else like those of the initial
    prompt."""
    escaped: str = _SIGN.sub(lambda sign: "&lt;" if _is_mark(text, sign.end(), names) else sign[0], text)
    return escaped


def _is_mark(text: str, start: int, names: Sequence[str]) -> bool:
    """Say whether a mark's name follows, in letters of any width, style and case, unseen characters left out."""
    name = ""
    for at in range(start, len(text)):
        for char in unicodedata.normalize("NFKD", text[at]).casefold():
            is_unseen = char in _FILLERS or (unicodedata.category(char) in _UNSEEN and not char.isspace())
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
    subject = arguments.get(operation.subject)
    args = arguments.get("args")
    words = " ".join(map(str, args)) if isinstance(args, list) else ""
    return f"{operation.name} {subject or ''} {words}".strip().replace("  ", " ")


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: its one text field, its tree, or its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))
    texts = [str(result[declared.name]) for declared in operation.fields if isinstance(result.get(declared.name), str)]
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
    shown: list[str] = []
    used = consumed = 0
    for line in text.splitlines(keepends=True):
        key, mark, value = line.strip().partition('": ')
        part = f'{key}":{value}' if mark and line[:1].isspace() and "\\" not in key else line.strip()
        if used + len(part) > room:
            break
        used += len(part)
        shown.append(part)
        consumed += len(line)
    return "".join(shown), consumed


@dataclass(frozen=True, slots=True)
class Block:
    """The part of the initial prompt that shows one call, or a text of its own."""

    place: Place
    pieces: list[str]
    call: CallRecord | None = None
    result: str = ""
    """The shown part of the call's result."""
    title: str = ""
    """The title of the call's section: the call, and what was found out about its file."""


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of the initial prompt, as far as there is room; the rest of a text does not count as read."""

    recorder: Recorder
    instruction: str
    section_chars: int
    left: int
    """Characters that may still be shown."""
    shown_chars: dict[int, int] = field(default_factory=dict)
    """The characters of its result that are shown, by the number of a call."""
    _blocks: list[Block] = field(default_factory=list)

    def show(self, section: Section) -> str:
        """Show a section as far as there is room, and return the whole text of its result."""
        chars = section.limited(min(self.section_chars, max(self.left, 0)))
        outcome = self.recorder.outcome(section.call)
        result = outcome.result
        if outcome.error is not None and section.listing is None:
            failure = f"(failed: {outcome.error.code}: {outcome.error.message})"
            self._add(section, failure[:chars], self._notice(section.operation, len(failure) - chars))
            return ""
        text = section.text(result or {}, self.instruction, chars)
        shown, length = section.shown(text, chars)
        goes_on = (result or {}).get("truncated") is True
        notice = self._notice(section.operation, len(text) - length, goes_on=goes_on)
        if result is not None:
            self.shown_chars[section.call.number] = length
        self._add(section, shown, notice)
        return text

    def _add(self, section: Section, shown: str, notice: str) -> None:
        self.left -= len(shown)
        pieces = section.pieces(shown, notice)
        if section.room is not None:
            section.room.left -= sum(map(len, pieces))
        cut_note = pieces[-1].partition("</section>")[2].rstrip()
        self._blocks.append(Block(section.place, pieces, section.call.call, shown + cut_note, section.title))

    def _notice(self, operation: Operation, cut_chars: int, *, goes_on: bool = False) -> str:
        """Return the notice below a result that the initial prompt cuts, or that the environment gave only in part."""
        reads_on = operation.effect is Effect.READS and self.recorder.tool_schema.operation(READ_ALL) is not None
        by = f"{READ_ALL}(path)" if reads_on else operation.name
        if cut_chars > 0:
            return f"{cut_chars} more characters: {by}"
        return f"It goes on: {by}" if goes_on else ""

    def say(self, text: str) -> None:
        """Add a text beside the sections: a list of what is not shown."""
        self._blocks.append(Block(Place.WHAT_IS_NOT_SHOWN, [without_marks(text)]))

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the initial prompt so far: first those that other trials share, last this trial's own."""
        return sorted(self._blocks, key=lambda block: block.place)

    @property
    def pieces(self) -> list[str]:
        """The pieces of the blocks in the initial prompt."""
        return [piece for block in self.blocks for piece in block.pieces]
