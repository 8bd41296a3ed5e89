"""Keeps which paths a trial's calls reached, what they did there, and which texts they saw.

An answer may cite the paths that are kept here. After `read("/docs/fees.md")`:

    accessed.add_action("/docs/fees.md", "read", SeenText("fee: 7"))
    accessed.items()   -> "/docs/fees.md": AccessedPath({"read"}, {SeenText("fee: 7")})
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator
from dataclasses import dataclass, field, replace

from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class AccessedPath:
    """What calls did at one path."""

    actions: set[Action] = field(default_factory=set)
    texts: dict[SeenText, None] = field(default_factory=dict)
    """The texts that were seen here. Only the keys count: it is a set with an order."""


class AccessedPaths:
    """What one trial's calls did at each path. If the memory is full, new paths are left out."""

    def __init__(self, seen_texts: SeenTexts) -> None:
        self._seen_texts = seen_texts
        """Keeps each text once, and cuts those for which there is no room."""
        self._paths: dict[str, AccessedPath] = {}
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def items(self) -> ItemsView[str, AccessedPath]:
        """Return the paths, in the order in which they were reached, with what calls did there."""
        return self._paths.items()

    def add_action(
        self, path: str, action: Action, seen: SeenText | None = None
    ) -> None:
        """Add that a call did `action` at `path`, and which text it saw there, if any."""
        accessed = self._paths.get(path)
        if accessed is None:
            has_room = len(path) <= self._room_chars
            if not has_room or len(self._paths) >= bounds.MOST_CITABLE_PATHS:
                return
            self._room_chars -= len(path)
            accessed = self._paths[path] = AccessedPath()
        accessed.actions.add(action)
        if seen is None:
            return
        if len(seen.text) > bounds.MOST_SEEN_CHARS:
            seen = replace(
                seen, text=seen.text[: bounds.MOST_SEEN_CHARS], is_whole=False
            )
        # A blank text shows nothing. But if its end was cut off, the file has more than is known.
        if seen.is_whole and not seen.text.strip():
            return
        kept = self._seen_texts.add(seen)
        if action == "write":
            accessed.texts.pop(
                kept, None
            )  # If it is there, it moves to the end: it is the newest.
        accessed.texts[kept] = None
