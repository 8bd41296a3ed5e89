"""The changes that a trial made, and which of them a later call has looked at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gates.evidence import Action, Change
from gates.paths import spelling_key


class ChangeLog:
    """Changes in their order. Reading shows what became of any; a listing or a missing path shows a deletion."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._unread_runs: list[int] = []
        """Numbers of the changes by executions that no later call has looked at."""
        self._unread: dict[str, list[int]] = {}
        """Those of other changes, by the folded spelling of their path."""

    def add(self, change: Change) -> None:
        """Take a change that nothing has looked at yet."""
        is_run = change.action == "execute"
        unread = self._unread_runs if is_run else self._unread.setdefault(spelling_key(change.path), [])
        unread.append(len(self.changes))
        self.changes.append(change)

    def note_read(self, path: str) -> None:
        """Note that a call read `path`, whatever its spelling."""
        self._mark_runs()
        self._mark(spelling_key(path))

    def note_opened(self, paths: Iterable[str]) -> None:
        """Note that a tool that only reads ran and opened these files, as they are spelled."""
        self._mark_runs()
        for path in paths:
            self._mark(spelling_key(path), spelling=path)

    def note_missing(self, path: str) -> None:
        """Note that a call did not find `path`."""
        self._mark(spelling_key(path), "delete")

    def note_listed(self, folder: str) -> None:
        """Note that a call listed `folder`."""
        start = spelling_key(folder).rstrip("/") + "/"
        for key in [each for each in self._unread if each.startswith(start)]:
            self._mark(key, "delete")

    def _mark_runs(self) -> None:
        for number in self._unread_runs:
            self.changes[number] = replace(self.changes[number], is_read_back=True)
        self._unread_runs.clear()

    def _mark(self, key: str, action: Action | None = None, *, spelling: str = "") -> None:
        """Mark the changes at this folded spelling as read back: those of this kind, those at this path alone."""
        left = []
        for number in self._unread.pop(key, ()):
            change = self.changes[number]
            if action in (None, change.action) and spelling in ("", change.path):
                self.changes[number] = replace(change, is_read_back=True)
            else:
                left.append(number)
        if left:
            self._unread[key] = left
