"""The sections of turn one: calls under way, up to `AT_A_TIME` side by side, shown in order within limits."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

from agent.events.call_records import CallRecord
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.opening.workspace_files import NameIndex, children_of, collapsed_tree, files_below
from sandbox.interface import CallError, Effect, OpeningCall, Operation, Plain, Tree

_KEY: Final = re.compile(r'("(?:[^"\\]|\\.)*"): ')
"""A field's name at the beginning of a line, with the blank after it."""
_RUN: Final = re.compile(r"([ ._=*~-])\1{2,}")
_FIELD_OR_ROW: Final = re.compile(r"^  (?=[^\s\]}])", re.MULTILINE)
AT_A_TIME: Final = 8
"""Max calls of turn one under way at a time, if the environment allows several reading calls at a time."""
READ_ALL: Final = "read_all"
"""The function that returns the whole of a file of which a read returns only a part, if the environment has one."""
_SIGN: Final = re.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
_NAMES: Final = ("section", "instruction")
"""The names of the marks that turn one itself sets."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Categories of characters that a reader does not see: controls, invisible formats, and marks on a letter."""
_FILLERS: Final = "\u115f\u1160"
_FOLDER: Final = re.compile(r"/[\w./-]*[\w/]")


class Place(IntEnum):
    """The place of a section in turn one: sections that many trials share come first, for a provider's cache."""

    HELP = 0
    """A tool's own description."""
    DOCUMENT = 1
    """A document that every trial is shown, such as the rules."""
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
    holds_rules: bool = False
    declared: OpeningCall | None = None
    room: Room | None = None
    """Set for a file that is shown for its name, or because it fits the instruction."""
    chars: int = 0
    """Max characters that it takes of `room`."""
    parts: Mapping[str, Plain] | None = None
    """A tree that was read folder by folder, because the call for the whole tree failed as too large."""

    @property
    def place(self) -> Place:
        """Its place in turn one."""
        if self.room is not None:
            return Place.FITTING
        if self.operation.effect is Effect.EXECUTES:
            return Place.HELP if self.call.call.arguments.get("args") == ["--help"] else Place.CASE
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
        if not self.operation.drawn_as_tree:
            return result_text(self.operation, result)
        longest, text = self.declared.longest_listing if self.declared else None, str(Tree(result))
        if longest is not None:
            text = collapsed_tree(result, longest, root=self.root, in_full=_FOLDER.findall(instruction))
        return text if len(text) <= chars else collapsed_tree(result, 0, root=self.root)

    def shown(self, text: str, chars: int) -> tuple[str, int]:
        """Return the part of the text that is shown in `chars` characters, to a line's end, and its length there."""
        if self.room is not None and not text.startswith(("{", "[")) and not self.subject.endswith(".md"):
            shown, told = joined_lines(text, chars, is_scan=True)
            if told:
                return shown, told
        elif self.room is not None and not self.subject.endswith(".md"):
            shown, told = joined_lines(text, chars)
            return (shown, told) if told >= len(text) else joined_lines(text[: _last_field(text, told)], chars)
        end = text.rfind("\n", 0, chars + 1) if len(text) > chars else len(text)
        shown = text[: end if end > 0 else chars]
        if len(shown) < len(text) and shown.endswith(":"):  # An announcement is left out with its text.
            shown = shown[: max(shown.rfind(". "), shown.rfind("\n")) + 1].rstrip() or shown
        return shown, len(shown)

    def pieces(self, shown: str, notice: str) -> list[str]:
        """Return the pieces of the section in turn one."""
        title = " ".join(without_marks(self.title).replace('"', "&quot;").splitlines())
        below = f"\n({notice})" if notice else ""
        return [f'<section title="{title}">\n', without_marks(shown), f"\n</section>{below}\n\n"]


def without_marks(text: str, names: Sequence[str] = _NAMES) -> str:
    """Return a text without anything that reads like a mark of one of these names, else like those of turn one."""
    return _SIGN.sub(lambda sign: "&lt;" if _is_mark(text, sign.end(), names) else sign[0], text)


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
        if not any(known.startswith(name) for known in names):
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


def _last_field(text: str, end: int) -> int:
    """Return where the field or row of a JSON text that contains `end` begins, or `end` if it is the first."""
    starts = [found.start() for found in _FIELD_OR_ROW.finditer(text, 0, end + 4)]
    return starts[-1] if len(starts) > 1 else end


def joined_lines(text: str, room: int, *, is_scan: bool = False) -> tuple[str, int]:
    """Return the text in at most `room` characters, and how many characters of the text this shows.

    The lines of a JSON object or list are joined without blanks, and a scan loses long runs of blanks and rules; any
    other text stays unchanged.
    """
    if not is_scan and not text.startswith(("{", "[")):
        return text[:room], min(len(text), room)
    shown: list[str] = []
    used = consumed = 0
    for line in text.splitlines(keepends=True):
        if is_scan:
            part = _RUN.sub(r"\1\1", line)
        else:
            part = _KEY.sub(r"\1:", line.strip(), count=1) if line[:1].isspace() else line.strip()
        if used + len(part) > room:
            break
        used += len(part)
        shown.append(part)
        consumed += len(line)
    return "".join(shown), consumed


@dataclass(slots=True)
class OpeningKnowledge:
    """The knowledge from the sections shown so far: files, tools' output, texts, the rules."""

    instruction: str
    files: list[str] = field(default_factory=list)
    trees: list[tuple[str, int, Mapping[str, Plain]]] = field(default_factory=list)
    """The trees with their roots and the number of levels that each shows; 0 for all."""
    outputs: list[str] = field(default_factory=list)
    """Output of tools that were not asked for help."""
    texts: dict[str, str] = field(default_factory=dict)
    """Texts of the files that are shown for their name, by path."""
    rules: str = ""
    unknown: list[str] = field(default_factory=list)
    """The words of the instruction that no document holds."""
    told_of: dict[str, str] | None = None
    """The lines that hold such words, by file; None if the words have not been looked for."""
    holding: list[str] | None = None
    """The files that hold an id from the instruction or a tool; None if ids have not been looked for."""
    compared: dict[str, CallUnderWay] = field(default_factory=dict)
    """The calls that read them, as long as they are neither shown nor received."""
    read_texts: dict[str, str] = field(default_factory=dict)
    """Texts of files that were read to choose among them, by path."""
    _index: tuple[tuple[str, ...], int, NameIndex] | None = None

    def learn(self, section: Section, result: Mapping[str, Plain], text: str) -> None:
        """Learn from a section's result and its text."""
        operation, arguments = section.operation, section.call.call.arguments
        if operation.drawn_as_tree:
            self.files += files_below(result, section.root)
            level = arguments.get("level")
            is_cut = section.parts is None and isinstance(level, int)
            self.trees.append((section.root, level if is_cut and isinstance(level, int) else 0, result))
        elif operation.effect is Effect.EXECUTES and arguments.get("args") != ["--help"]:
            self.outputs.append(text)
        if section.holds_rules:
            self.rules = str(result.get(operation.json_field, ""))
        if section.room is not None:
            self.texts[section.subject] = text

    def files_in(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        for root, level, tree in self.trees:
            if not f"{folder.rstrip('/')}/".startswith(f"{root.rstrip('/')}/"):
                continue
            names = folder.removeprefix(root.rstrip("/")).strip("/").split("/")
            node: Mapping[str, Plain] | None = tree
            depth = 0
            while node is not None and depth < len(names) and names[depth] and _is_shown(node, depth, level):
                node = next((child for child in children_of(node) if child.get("name") == names[depth]), None)
                depth += 1
            if node is None:
                return []
            if (depth == len(names) or not names[0]) and _shows_all(node, depth, level):
                return sorted(files_below(node, folder))
        return None

    @property
    def said(self) -> str:
        """Texts that may name files: the instruction, and tools' output."""
        return "\n".join([self.instruction, *self.outputs])

    def index(self, roots: Sequence[str]) -> NameIndex:
        """Return the files below `roots`, by name: the last index again if no file was added since."""
        asked = (*roots,), len(self.files)
        if self._index is None or self._index[:2] != asked:
            self._index = (*asked, NameIndex(self.files, roots))
        return self._index[2]


def _is_shown(folder: Mapping[str, Plain], depth: int, level: int) -> bool:
    """Say whether a tree of `level` levels shows the folder's content."""
    return folder.get("children", ()) is not None and (depth < level or not level)


def _shows_all(node: Mapping[str, Plain], depth: int, level: int) -> bool:
    if not node.get("is_dir"):
        return True
    return _is_shown(node, depth, level) and all(_shows_all(child, depth + 1, level) for child in children_of(node))


@dataclass(frozen=True, slots=True)
class Block:
    """The part of turn one that shows one call, or a text of its own."""

    place: Place
    pieces: list[str]
    call: CallRecord | None = None
    result: str = ""
    """The shown part of the call's result."""


class SectionQueue:
    """The sections that are under way, and the pieces of turn one from the sections before them."""

    def __init__(
        self,
        recorder: Recorder,
        instruction: str,
        *,
        section_chars: int,
        total_chars: int,
        samples: bool = True,
    ) -> None:
        self.recorder = recorder
        self.known = OpeningKnowledge(instruction)
        self.section_chars = section_chars
        self.left = total_chars
        """Characters that may still be shown."""
        self.samples = samples
        """True if a sample of each kind of file is shown."""
        self._blocks: list[Block] = []
        """The blocks of turn one so far."""
        self.left_out: list[str] = []
        """Titles of the sections for which there was no room."""
        self.at_a_time = AT_A_TIME if recorder.surface.reads_side_by_side else 1
        self._sent: list[CallUnderWay] = []
        self._under_way: deque[Section] = deque()

    @property
    def under_way(self) -> int:
        """The number of sections that are not shown yet."""
        return len(self._under_way)

    def send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Begin a call: beside others if it only reads, else after they are done."""
        only_reads = not self.recorder.surface.may_change(operation, arguments)
        self.show_until(self.at_a_time - 1 if only_reads else 0)
        self._sent.append(self.recorder.send(operation, arguments, begins=only_reads))
        return self._sent[-1]

    def add(self, section: Section) -> None:
        """Add a section, to be shown after those under way."""
        self._under_way.append(section)

    def show_until(self, count: int) -> None:
        """Show the earliest sections until at most `count` are under way."""
        while len(self._under_way) > count:
            self.show_first()

    def show_first(self) -> None:
        """Show the earliest section, as far as there is room; the rest of its text does not count as read."""
        section = self._under_way.popleft()
        chars = section.limited(min(self.section_chars, max(self.left, 0)))
        result = section.parts or self.recorder.outcome(section.call).result
        text = ""
        if result is not None:
            text = section.text(result, self.known.instruction, chars)
            self.known.learn(section, result, text)
        shown, told = section.shown(text, chars)
        goes_on = (result or {}).get("truncated") is True
        notice = self._notice(section.operation, len(text) - told, goes_on=goes_on)
        if 0 < len(text) - told <= min(len(notice), self.left - len(shown)):
            shown, told = section.shown(text, len(text))  # A notice would not be shorter.
            notice = self._notice(section.operation, 0, goes_on=goes_on)
        try:
            if section.parts is None:
                self.recorder.receive(section.call, shown_chars=told)
        except CallError as error:
            failure = f"(failed: {error})"
            shown, notice = failure[:chars], self._notice(section.operation, len(failure) - chars)
        self.left -= len(shown)
        pieces = section.pieces(shown, notice)
        if section.room is not None:
            section.room.left -= sum(map(len, pieces))
        cut_note = pieces[-1].partition("</section>")[2].rstrip()
        self._blocks.append(Block(section.place, pieces, section.call.call, shown + cut_note))

    def _notice(self, operation: Operation, cut_chars: int, *, goes_on: bool = False) -> str:
        """Return the notice below a result that turn one cuts, or that the environment gave only in part."""
        reads_on = operation.effect is Effect.READS and self.recorder.surface.operation(READ_ALL) is not None
        by = f"{READ_ALL}(path)" if reads_on else operation.name
        if cut_chars > 0:
            return f"{cut_chars} more characters: {by}"
        return f"It goes on: {by}" if goes_on else ""

    def say(self, text: str) -> None:
        """Add a text beside the sections: a list of what is not shown."""
        self._blocks.append(Block(Place.WHAT_IS_NOT_SHOWN, [without_marks(text)]))

    @property
    def blocks(self) -> list[Block]:
        """The blocks of turn one so far: first those that other trials share, last this trial's own."""
        return sorted(self._blocks, key=lambda block: block.place)

    @property
    def pieces(self) -> list[str]:
        """The pieces of the blocks in turn one."""
        return [piece for block in self.blocks for piece in block.pieces]

    def await_calls(self) -> None:
        """Wait for calls whose results are no longer needed, because work on the trial ends."""
        self.recorder.leave(self._sent)
