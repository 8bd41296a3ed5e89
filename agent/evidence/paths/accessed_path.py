"""What calls did at one path, and which texts they saw there.

An answer may cite a path only for what calls have seen there. A script reads `/fees.md`, and then
writes the file twice:

    accessed.add("read", SeenText("fee: 7"))
    accessed.add("write", own_text_1)
    accessed.add("write", own_text_2)
    accessed.actions   -> {"read", "write"}
    accessed.texts     -> SeenText("fee: 7"), own_text_1, own_text_2

The gates, which judge the answer, take the last written text for what the file has now.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from controlplane.gates.trial.accesses import Action
from controlplane.gates.trial.seen_text import SeenText


@dataclass(slots=True)
class AccessedPath:
    """The actions at one path, and the texts that were seen there, each once."""

    actions: set[Action] = field(default_factory=set)
    _texts: dict[SeenText, SeenText] = field(default_factory=dict)
    """The texts in order. Each stands also as its key, by which it is found."""

    @property
    def texts(self) -> Collection[SeenText]:
        """The texts in the order in which they were first seen, or last written."""
        return self._texts.keys()

    def equal_text(self, seen: SeenText) -> SeenText | None:
        """Return the text that was seen here and is equal to this one, perhaps on another line."""
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
