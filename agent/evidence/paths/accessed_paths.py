"""Keeps which paths a trial's calls reached, what they did there, and which texts they saw.

An answer may cite only these paths. After `read("/docs/fees.md")`:

    accessed.add_action("/docs/fees.md", "read", SeenText("fee: 7"))
    accessed.items()   -> "/docs/fees.md": read, with the text "fee: 7"

A script may reach millions of paths. Once there is no room for more, new ones are left out, and
cannot be cited.
"""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterator
from dataclasses import dataclass, field, replace

from controlplane.agent.evidence.paths.seen_texts import SeenTexts
from controlplane.gates.trial import Action, SeenText, TextKind
from controlplane.sandbox.interface import bounds

# What calls did at one path, and which texts they saw there.
#
# An answer may cite a path only for what calls have seen there. Who judges the answer takes the last
# written text for what the file has now. So if a script reads `/fees.md`, writes `old` and `new` to
# it, and then `old` again, this text moves to the end:
#
#     accessed.actions   -> {"read", "write"}
#     accessed.texts     -> SeenText("fee: 7"), SeenText("new", OWN), SeenText("old", OWN)


@dataclass(slots=True)
class _AccessedPath:
    """The actions at one path, and the texts that were seen there, each once."""

    actions: set[Action] = field(default_factory=set)
    _texts: dict[SeenText, SeenText] = field(default_factory=dict)
    """The texts in order. Each is its own key, by which an equal text is found."""

    @property
    def texts(self) -> Collection[SeenText]:
        """The texts in the order in which they were first seen, or last written."""
        return self._texts.keys()

    def equal_text(self, seen: SeenText) -> SeenText | None:
        """Return the text that was seen here and is equal to this one; None if there is none.

        Equal texts may be on different lines of the file.
        """
        return self._texts.get(seen)

    def add(self, action: Action, seen: SeenText | None = None) -> None:
        """Add what a call did here, and the text that it saw, if any.

        A text that is written again moves to the end: it is what the file has now.
        """
        self.actions.add(action)
        if seen is None:
            return
        if action == "write":
            self._texts.pop(seen, None)
        self._texts.setdefault(seen, seen)


class AccessedPaths:
    """The paths that one trial's calls reached, in the order in which they were reached."""

    def __init__(self, seen_texts: SeenTexts) -> None:
        self._seen_texts = seen_texts
        """Keeps each text once, and cuts those for which there is no room."""
        self._paths: dict[str, _AccessedPath] = {}
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def items(self) -> ItemsView[str, _AccessedPath]:
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
            accessed = self._paths[path] = _AccessedPath()
            self._room_chars -= len(path)
        kept = None if seen is None else self._kept(seen, accessed)
        accessed.add(action, kept)

    def _has_room_for(self, path: str) -> bool:
        """Return True if a new path may be added."""
        has_chars = len(path) <= self._room_chars
        return has_chars and len(self._paths) < bounds.MOST_CITABLE_PATHS

    def _kept(self, seen: SeenText, accessed: _AccessedPath) -> SeenText | None:
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


# Adds texts of a trial's own script, each at the path of its file. They prove nothing.
#
# A script could write a file of the name `/a.csv#row=7`. An answer that cites it would seem to cite
# row 7 of `/a.csv`. So the text of such a file is not added, unless a call has reached the path before:
# then the environment has a file of this name.
#
#     add_own_text(accessed, "/note.md", "fee: 8")       /note.md: written, with SeenText("fee: 8", OWN)
#     add_own_text(accessed, "/a.csv#row=7", "fee: 8")   nothing


def add_own_text(
    accessed: AccessedPaths, path: str, text: str, kind: TextKind = TextKind.OWN
) -> None:
    """Add a text that the script has written to a file, as its call or a later read shows.

    `accessed` has what calls did at each path. `kind` is `OWN` or `OWN_EXCERPT`.
    """
    if not looks_like_row(path, accessed):
        accessed.add_action(path, "write", SeenText(text, kind))


def looks_like_row(path: str, accessed: AccessedPaths) -> bool:
    """Return True for a new path such as `/a.csv#row=7`: no call has reached it yet."""
    return "#" in path and path not in accessed
