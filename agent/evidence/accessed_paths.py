"""The paths that a trial's calls reached, what they did there, and the texts that were seen there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.gates.evidence import Access, Action, SeenText
from controlplane.sandbox.interface import bounds

TEXT_OVERHEAD_BYTES: Final = 500
"""Memory of a seen text beside its characters."""
NON_ASCII_CHAR_BYTES: Final = 4
"""Memory of a character in a text that is not ASCII, at most; in an ASCII text it takes 1 byte."""


@dataclass(slots=True)
class _AccessedPath:
    """What calls did at one path."""

    actions: set[Action] = field(default_factory=set)
    text_numbers: dict[int, None] = field(default_factory=dict)
    """The numbers of the texts that were seen there, used as an ordered set."""


class AccessedPaths:
    """The paths that calls reached, in order, each with its actions and the texts seen there.

    A text that was seen several times is kept once. There is a bound for all texts together, and one
    for all paths: later texts are cut or left empty, and later paths are left out.
    """

    def __init__(self, most_text_bytes: int = 0) -> None:
        """Keep texts of at most `most_text_bytes`, or of the usual bound of a trial if it is 0."""
        self.texts: list[SeenText] = []
        """The different texts, in the order in which they were first seen. A text's index is its
        number."""
        self._numbers: dict[SeenText, int] = {}
        """The number of each text."""
        self._text_room_bytes = most_text_bytes or bounds.MOST_EVIDENCE_BYTES
        self._paths: dict[str, _AccessedPath] = {}
        self._path_room_chars = bounds.MOST_PATHS_CHARS
        """Characters of paths that may still be added."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def add_action(self, path: str, action: Action, seen: SeenText | None = None) -> None:
        """Note that a call did `action` at `path`, and saw a text there.

        A blank text is not kept, since it shows nothing, unless it is blank only because it was cut.
        """
        accessed = self._paths.get(path)
        if accessed is None:
            has_room = len(path) <= self._path_room_chars
            if not has_room or len(self._paths) >= bounds.MOST_CITABLE_PATHS:
                return
            self._path_room_chars -= len(path)
            accessed = _AccessedPath()
            self._paths[path] = accessed
        accessed.actions.add(action)
        if seen is None:
            return
        is_blank = seen.is_whole and not seen.text.strip()
        if is_blank:
            return
        number = self._number_of(seen)
        if action == "write":
            # The text that was written last comes last, even if it was there before.
            accessed.text_numbers.pop(number, None)
        accessed.text_numbers[number] = None

    def _number_of(self, seen: SeenText) -> int:
        """Return the number of a text, which is added if it is new, and cut if it does not fit."""
        if seen in self._numbers:
            return self._numbers[seen]

        bytes_needed = _memory_bytes(seen)
        if bytes_needed > self._text_room_bytes:
            seen = _cut(seen, self._text_room_bytes)
            if seen in self._numbers:
                return self._numbers[seen]

        number = len(self.texts)
        self.texts.append(seen)
        self._numbers[seen] = number
        remaining_bytes = self._text_room_bytes - bytes_needed - TEXT_OVERHEAD_BYTES
        self._text_room_bytes = max(remaining_bytes, 0)
        return number

    def accesses(self, path_to_cite: Callable[[str], str]) -> dict[str, Access]:
        """Return what happened at each path, by the path to cite.

        Calls may have reached one file by several paths. `path_to_cite` returns the same path for all
        of them, so that their actions and texts come together in one `Access`.
        """
        accesses: dict[str, Access] = {}
        for path, accessed in self._paths.items():
            cited_path = path_to_cite(path)
            actions = frozenset(accessed.actions)
            seen = tuple(self.texts[number] for number in accessed.text_numbers)
            earlier = accesses.get(cited_path)
            if earlier is not None:
                actions |= earlier.actions
                seen = earlier.seen + seen
            accesses[cited_path] = Access(cited_path, actions, seen)
        return accesses


def _memory_bytes(seen: SeenText) -> int:
    """Return the memory that a seen text takes, with the words that its call was given."""
    chars = len(seen.text) + len(seen.tainted)
    return chars * _bytes_per_char(seen.text + seen.tainted)


def _bytes_per_char(text: str) -> int:
    return 1 if text.isascii() else NON_ASCII_CHAR_BYTES


def _cut(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that fits in `room_bytes`.

    A text that may repeat words of its call is cut to nothing: without the record of these words,
    which goes too, it would count as a proof of them.
    """
    kept_chars = 0
    if not seen.tainted:
        kept_chars = room_bytes // _bytes_per_char(seen.text)
    return replace(seen, text=seen.text[:kept_chars], is_whole=False, tainted="")
