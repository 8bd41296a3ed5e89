"""One section of turn one: a call whose result is to be shown, its room, and its text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from agent.evidence.recorder import CallUnderWay
from agent.opening.collapsed_tree import collapsed_tree
from agent.opening.joined_lines import joined_lines
from sandbox.interface import Effect, OpeningCall, Operation, Plain, Tree

_MARK: Final = re.compile(r"<(?=\s*/?\s*(?:section|instruction)\b)", re.IGNORECASE)
"""The beginning of a mark that turn one itself sets."""
_FOLDER: Final = re.compile(r"/[\w./-]*[\w/]")


class Place(IntEnum):
    """Where a section stands in turn one: what is the same for many trials first, as a provider's cache keeps it."""

    HELP = 0
    """What a tool says of itself."""
    DOCUMENT = 1
    """A document that every trial is shown, as the rules."""
    FITTING = 2
    """A document that fits the instruction, or is named in it."""
    CASE = 3
    """The listing of files, who asks, and when."""
    WHAT_IS_NOT_SHOWN = 4


@dataclass(slots=True)
class Room:
    """Characters that several sections have together."""

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
    """Set for a file that is shown for its name, or because it fits."""
    chars: int = 0
    """The most that it takes of `room`."""
    parts: Mapping[str, Plain] | None = None
    """A tree that was read folder by folder, since it is too large for the call, which has failed."""

    @property
    def place(self) -> Place:
        """Where it stands in turn one."""
        if self.room is not None:
            return Place.FITTING
        if self.operation.effect is Effect.EXECUTES:
            return Place.HELP if self.call.call.arguments.get("args") == ["--help"] else Place.CASE
        return Place.DOCUMENT if self.operation.effect is Effect.READS else Place.CASE

    @property
    def subject(self) -> str:
        """What the call is about: a path, for files."""
        return str(self.call.call.arguments.get(self.operation.subject))

    @property
    def root(self) -> str:
        """The folder of which a tree is drawn."""
        arguments = self.call.call.arguments
        return str(arguments.get(self.operation.subject) or arguments.get("root") or "/")

    def limited(self, chars: int) -> int:
        """Return how many of `chars` characters it may take."""
        if self.room is not None:
            chars = min(chars, self.chars, self.room.left)
        if self.declared is not None and self.declared.most_chars is not None:
            chars = min(chars, self.declared.most_chars)
        return chars

    def text(self, result: Mapping[str, Plain], instruction: str) -> str:
        """Return the whole text of the call's result."""
        longest = self.declared.longest_listing if self.declared else None
        if self.operation.drawn_as_tree and longest is not None:
            return collapsed_tree(result, longest, root=self.root, in_full=_FOLDER.findall(instruction))
        return result_text(self.operation, result)

    def shown(self, text: str, chars: int) -> tuple[str, int]:
        """Return what of the text is shown in `chars` characters, up to a line's end, and how many of it that tells."""
        if self.room is not None:
            return joined_lines(text, chars)
        end = text.rfind("\n", 0, chars + 1) if len(text) > chars else -1
        shown = text[: end if end > 0 else chars]
        return shown, len(shown)

    def pieces(self, shown: str, cut_chars: int) -> list[str]:
        """Return the section as turn one holds it."""
        title = " ".join(without_marks(self.title).replace('"', "&quot;").splitlines())
        closing = "\n</section>\n\n"
        if cut_chars > 0:
            closing = f"\n</section>\n({cut_chars} characters of {title} are not shown and do not count as read.)\n\n"
        return [f'<section title="{title}">\n', without_marks(shown), closing]


def without_marks(text: str) -> str:
    """Return a text in which nothing reads like a mark of turn one, whatever wrote it."""
    return _MARK.sub("&lt;", text)


def title_of(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return the title of a call's section."""
    subject = arguments.get(operation.subject)
    args = arguments.get("args")
    words = " ".join(str(each) for each in args) if isinstance(args, list) else ""
    return f"{operation.name} {subject or ''} {words}".strip().replace("  ", " ")


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: its one text field, its tree, or its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))
    texts = [str(result[each.name]) for each in operation.fields if isinstance(result.get(each.name), str)]
    texts = [each for each in texts if each and each != result.get(operation.subject)]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)
