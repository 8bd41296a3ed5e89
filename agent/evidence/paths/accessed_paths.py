"""Keeps which paths a trial's calls reached, what they did there, and which texts they saw.

An answer may cite only these paths. After `read("/docs/fees.md")`:

    accessed.add_action("/docs/fees.md", "read", SeenText("fee: 7"))
    accessed.items()   -> "/docs/fees.md": read, with the text "fee: 7"

A script may reach millions of paths. Once there is no room for more, new ones are left out, and
cannot be cited.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator
from dataclasses import replace

from controlplane.agent.evidence.paths.accessed_path import AccessedPath
from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


class AccessedPaths:
    """The paths that one trial's calls reached, in the order in which they were reached."""

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
        """Return the paths with what calls did there."""
        return self._paths.items()

    def add_action(
        self, path: str, action: Action, seen: SeenText | None = None
    ) -> None:
        """Add that a call did `action` at `path`, and which text it saw there, if any."""
        accessed = self._paths.get(path)
        if accessed is None:
            if not self._has_room_for(path):
                return
            accessed = self._paths[path] = AccessedPath()
            self._room_chars -= len(path)
        kept = None if seen is None else self._kept(seen, accessed)
        accessed.add(action, kept)

    def _has_room_for(self, path: str) -> bool:
        """Return True if a new path may be added."""
        has_chars = len(path) <= self._room_chars
        return has_chars and len(self._paths) < bounds.MOST_CITABLE_PATHS

    def _kept(self, seen: SeenText, accessed: AccessedPath) -> SeenText | None:
        """Return a text of a path as it is kept; None if it is blank, and so shows nothing."""
        if len(seen.text) > bounds.MOST_SEEN_CHARS:
            # Its beginning is kept, even if it is blank: `is_cut` tells that the file has more.
            beginning = seen.text[: bounds.MOST_SEEN_CHARS]
            seen = replace(seen, text=beginning, is_cut=True)
        elif not seen.text.strip():
            return None

        # The same words may stand on lines 3 and 9 of the file. One text of them is enough for this
        # path. `_seen_texts` keeps one text for all paths that have it on the same lines.
        equal_text = accessed.equal_text(seen)
        return equal_text or self._seen_texts.add(seen)
