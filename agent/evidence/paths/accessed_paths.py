"""Keeps which paths a trial's calls reached, what they did there, and which texts they saw.

An answer may cite the paths that are kept here. Example:

    add_action("/docs/fees.md", "read", SeenText("fee: 7"))
    accesses(...)  -> {"/docs/fees.md": Access("/docs/fees.md", {"read"}, (SeenText("fee: 7"),))}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.gates.trial.accesses import Access, Action
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class _AccessedPath:
    """What calls did at one path."""

    actions: set[Action] = field(default_factory=set)
    texts: dict[SeenText, None] = field(default_factory=dict)
    """The texts that were seen here, in order. Only the keys count: it is an ordered set."""

    def add_text(self, text: SeenText, *, was_written: bool) -> None:
        """Add a text that was read or written here.

        A text that is written for the second time moves to the end: it is what the file
        has now.
        """
        if was_written:
            self.texts.pop(text, None)
        self.texts[text] = None


class AccessedPaths:
    """The paths that one trial's calls reached, in order, with their actions and texts.

    The memory is limited: once it is full, new paths are left out.
    """

    def __init__(self, seen_texts: SeenTexts) -> None:
        self._seen_texts = seen_texts
        """Keeps each text once, and cuts those for which there is no room."""
        self._paths: dict[str, _AccessedPath] = {}
        """What calls did at each path."""
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def add_action(
        self, path: str, action: Action, seen: SeenText | None = None
    ) -> None:
        """Add that a call did `action` at `path`, and which text it saw there, if any.

        A blank text shows nothing, so it is not kept. But if its end was cut off, there may be
        words in the part that is lost. Then it is kept, as a sign that the file has more than
        is known.
        """
        accessed = self._accessed_path(path)
        if accessed is None:
            return
        accessed.actions.add(action)
        if seen is None:
            return
        is_blank = seen.is_whole and not seen.text.strip()
        if not is_blank:
            kept = self._seen_texts.add(seen)
            accessed.add_text(kept, was_written=action == "write")

    def _accessed_path(self, path: str) -> _AccessedPath | None:
        """Return what calls did at a path. Add a new path; None if there is no room for it."""
        accessed = self._paths.get(path)
        if accessed is not None:
            return accessed
        has_room = len(path) <= self._room_chars
        if not has_room or len(self._paths) >= bounds.MOST_CITABLE_PATHS:
            return None
        self._room_chars -= len(path)
        self._paths[path] = _AccessedPath()
        return self._paths[path]

    def accesses(self, path_to_cite: Callable[[str], str]) -> dict[str, Access]:
        """Return what happened at each path, by the path to cite.

        Calls may have reached a file by several paths, such as `/docs/fees.md` and
        `/DOCS/fees.md`. `path_to_cite` returns the same path for all of them, so their
        actions and texts are combined in one `Access`.
        """
        accesses: dict[str, Access] = {}
        for path, accessed in self._paths.items():
            cited_path = path_to_cite(path)
            actions = frozenset(accessed.actions)
            seen = tuple(accessed.texts)
            earlier = accesses.get(cited_path)
            if earlier is not None:
                actions |= earlier.actions
                seen = earlier.seen + seen
            accesses[cited_path] = Access(cited_path, actions, seen)
        return accesses
