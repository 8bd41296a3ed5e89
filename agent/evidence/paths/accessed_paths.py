"""Records which paths a trial's calls reached, what they did there, and which texts they saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.gates.accesses import Access, Action, SeenText
from controlplane.sandbox.interface import bounds

TEXT_OVERHEAD_BYTES: Final = 500
"""An estimate of the memory that a seen text takes besides its characters."""
NON_ASCII_CHAR_BYTES: Final = 4
"""The most memory that a character takes in a text that is not ASCII. In ASCII texts it takes 1."""


@dataclass(slots=True)
class _AccessedPath:
    """What calls did at one path."""

    actions: set[Action] = field(default_factory=set)
    text_numbers: dict[int, None] = field(default_factory=dict)
    """The numbers of the texts that were seen there: their indices in
    `AccessedPaths.texts`. Only the keys count: it is an ordered set."""


class AccessedPaths:
    """The paths that calls reached, in order, each with its actions and the texts seen there.

    Created when a trial starts, and filled by its `EvidenceLog`. A text that was seen
    several times is kept once. The memory is limited: once it is full, new texts are
    cut or left empty, and new paths are left out.
    """

    def __init__(self, most_text_bytes: int = 0) -> None:
        """`most_text_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.texts: list[SeenText] = []
        """All different texts, in the order in which they were
        first seen. The number of a text is its index here."""
        self._numbers: dict[SeenText, int] = {}
        """The number of each text."""
        self._text_room_bytes = most_text_bytes or bounds.MOST_EVIDENCE_BYTES
        self._paths: dict[str, _AccessedPath] = {}
        self._path_room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def add_action(
        self, path: str, action: Action, seen: SeenText | None = None
    ) -> None:
        """Record that a call did `action` at `path`, and which text it saw there.

        A blank text shows nothing, so it is not kept. A text that was cut may be blank
        now, and is kept nevertheless.
        """
        # 1. The action. A new path is added, if there is room.
        accessed = self._paths.get(path)
        if accessed is None:
            has_room = len(path) <= self._path_room_chars
            if not has_room or len(self._paths) >= bounds.MOST_CITABLE_PATHS:
                return
            self._path_room_chars -= len(path)
            accessed = _AccessedPath()
            self._paths[path] = accessed
        accessed.actions.add(action)

        # 2. The text.
        if seen is None:
            return
        is_blank = seen.is_whole and not seen.text.strip()
        if is_blank:
            return
        number = self._number_of(seen)
        if action == "write":
            # The text that was written last must come last, even if it was written before, too.
            accessed.text_numbers.pop(number, None)
        accessed.text_numbers[number] = None  # Adds the number to the ordered set.

    def _number_of(self, seen: SeenText) -> int:
        """Return the number of a text. Add the text if it is new, and cut it if it is too long."""
        if seen in self._numbers:
            return self._numbers[seen]

        # 1. Cut the text if there is too little room. A text that is cut fills all of it.
        bytes_needed = _memory_bytes(seen)
        if bytes_needed > self._text_room_bytes:
            seen = _cut(seen, self._text_room_bytes)
            bytes_needed = self._text_room_bytes
            if seen in self._numbers:
                # Another text was cut to the same beginning.
                return self._numbers[seen]

        # 2. Add it.
        number = len(self.texts)
        self.texts.append(seen)
        self._numbers[seen] = number
        remaining_bytes = self._text_room_bytes - bytes_needed - TEXT_OVERHEAD_BYTES
        self._text_room_bytes = max(remaining_bytes, 0)
        return number

    def accesses(self, path_to_cite: Callable[[str], str]) -> dict[str, Access]:
        """Return what happened at each path, by the path to cite.

        Calls may have reached a file by several paths. `path_to_cite` returns the same
        path for all of them, so their actions and texts are combined in one `Access`.
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
    """Return the memory that a seen text takes, together with its tainted words.

    Tainted words prove nothing, because a script may have supplied them.
    """
    chars = len(seen.text) + len(seen.tainted)
    return chars * _bytes_per_char(seen.text + seen.tainted)


def _bytes_per_char(text: str) -> int:
    """Return the most memory that a character of a text takes."""
    return 1 if text.isascii() else NON_ASCII_CHAR_BYTES


def _cut(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that fits in `room_bytes`.

    Its tainted words, which a script may have supplied, are dropped. Without them,
    nobody can tell which words of the text prove something. So a text with tainted
    words is cut to nothing.
    """
    kept_chars = 0
    if not seen.tainted:
        kept_chars = room_bytes // _bytes_per_char(seen.text)
    return replace(seen, text=seen.text[:kept_chars], is_whole=False, tainted="")
