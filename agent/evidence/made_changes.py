"""The changes and tool runs of a trial: whether a later call looked at them, and which documents govern them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from gates.evidence import Action, Change, Execution
from gates.paths import base_name, spelling_key
from gates.plain_data import quote

MAX_ARGUMENT_CHARS: Final = 200_000
"""Max characters of the arguments of executions that are kept, in total; those of later ones are not."""
_WORD_CHARS: Final = 10
"""Characters that each argument costs beyond its own."""
MAX_MESSAGE_CHARS: Final = 300
_DOCUMENTS: Final = (".md", ".markdown", ".txt", ".rst", ".adoc")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
MAX_DOCUMENTS: Final = 1_000
MAX_NOTES: Final = 10
"""Max notes per trial."""
_LISTED: Final = 3


class ExecutionLog:
    """Runs in their order, calls for help left out."""

    def __init__(self) -> None:
        self.executions: list[Execution] = []
        self._room = MAX_ARGUMENT_CHARS

    def add(self, run: Execution) -> None:
        """Add a run, with its arguments if there is room, and the beginning of its output."""
        self._room -= sum(map(len, run.arguments), _WORD_CHARS * len(run.arguments))
        kept = run.arguments if self._room > 0 else ()
        self.executions.append(replace(run, arguments=kept, error=run.error[:MAX_MESSAGE_CHARS]))


class ChangeLog:
    """Changes in order. A read shows the result of any change; a listing or a missing path shows a deletion."""

    def __init__(self) -> None:
        self.changes: list[Change] = []
        self._unread_runs: list[int] = []
        """Numbers of the changes by executions that no later call has looked at."""
        self._unread: dict[str, list[int]] = {}
        """Numbers of the other changes that no later call has looked at, by the folded spelling of their path."""

    def add(self, change: Change) -> None:
        """Add a change that no call has looked at yet."""
        is_run = change.action == "execute"
        unread = self._unread_runs if is_run else self._unread.setdefault(spelling_key(change.path), [])
        unread.append(len(self.changes))
        self.changes.append(change)

    def note_read(self, path: str) -> None:
        """Note that a call read `path`, in any spelling."""
        self._mark_runs()
        self._mark(spelling_key(path))

    def note_opened(self, paths: Iterable[str]) -> None:
        """Note that a tool that only reads opened these files, as they are spelled."""
        self._mark_runs()
        for path in paths:
            self._mark(spelling_key(path), spelling=path)

    def note_missing(self, path: str) -> None:
        """Note that a call did not find `path`."""
        self._mark(spelling_key(path), "delete")

    def note_listed(self, folder: str) -> None:
        """Note that a call listed `folder`."""
        start = spelling_key(folder).rstrip("/") + "/"
        for key in [spelling for spelling in self._unread if spelling.startswith(start)]:
            self._mark(key, "delete")

    def _mark_runs(self) -> None:
        for number in self._unread_runs:
            self.changes[number] = replace(self.changes[number], is_read_back=True)
        self._unread_runs.clear()

    def _mark(self, key: str, action: Action | None = None, *, spelling: str = "") -> None:
        """Mark the changes at this folded spelling as read back; if given, only those of this kind or at this path."""
        left = []
        for number in self._unread.pop(key, ()):
            change = self.changes[number]
            if action in (None, change.action) and spelling in ("", change.path):
                self.changes[number] = replace(change, is_read_back=True)
            else:
                left.append(number)
        if left:
            self._unread[key] = left


class GoverningDocuments:
    """The documents that a trial's listings have shown, by the words of their names."""

    def __init__(self, rules_document: str) -> None:
        self._rules_document = rules_document
        self._by_word: dict[str, list[str]] = {}
        self._left = MAX_DOCUMENTS
        self._taken = 0
        self._told: set[str] = set()
        self._notes_left = MAX_NOTES

    def leave_out(self, path: str) -> None:
        """Leave the document at `path` out from here on, because it does not exist."""
        if path == self._rules_document:
            self._told.add(path)

    def note(
        self, path: str, shown: Mapping[str, Sequence[str]], is_unread: Callable[[str], bool], *, is_tool: bool
    ) -> str:
        """Return a note on a change at `path`, or by the tool there, that came before a governing document was read.

        Each document is named once; the note is empty if there is none to name. `shown` holds what listings have shown.
        """
        self._take(shown)
        named = _words(base_name(path) if is_tool else path.rpartition("/")[0])
        found = dict.fromkeys(
            document for word in named for document in self._by_word.get(word, ()) if document != path
        )
        if self._rules_document and self._rules_document != path:
            found = {self._rules_document: None, **found}
        unread = [path for path in found if path not in self._told and is_unread(path)][:_LISTED]
        if not unread or not self._notes_left:
            return ""
        self._notes_left -= 1
        self._told.update(unread)
        return (
            f"{quote(path)} {'ran' if is_tool else 'was changed'} before {' and '.join(map(quote, unread))} "
            f"{'was' if len(unread) == 1 else 'were'} read, which may say when that is allowed: read it, and undo what "
            "it does not allow."
        )

    def _take(self, shown: Mapping[str, Sequence[str]]) -> None:
        """Learn the documents among the paths that were shown since the last call."""
        for paths in islice(shown.values(), self._taken, None):
            for path in paths:
                if self._left > 0 and path.lower().endswith(_DOCUMENTS):
                    self._left -= 1
                    for word in _words(base_name(path).rpartition(".")[0]):
                        self._by_word.setdefault(word, []).append(path)
        self._taken = len(shown)


def _words(name: str) -> Iterable[str]:
    """Return the words of a name, singular and plural alike."""
    return dict.fromkeys(word.rstrip("s") for word in _WORD.findall(name.casefold()))
