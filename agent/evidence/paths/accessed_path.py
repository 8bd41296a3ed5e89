"""What calls did at one path, and which texts they saw there.

An answer may cite a path only for what calls have seen there. Who judges the answer takes the last
written text for what the file has now. So if a script reads `/fees.md`, writes `old` and `new` to
it, and then `old` again, this text moves to the end:

    accessed.actions   -> {"read", "write"}
    accessed.texts     -> SeenText("fee: 7"), SeenText("new", OWN), SeenText("old", OWN)
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
