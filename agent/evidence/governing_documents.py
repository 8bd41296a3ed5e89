"""Finds the documents that govern a change: the workspace's rules, and documents whose name holds the tool's or a
folder's name. It knows names alone, as listings show them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from gates.paths import base_name
from gates.plain_data import quote

_DOCUMENTS: Final = (".md", ".markdown", ".txt", ".rst", ".adoc")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
MAX_DOCUMENTS: Final = 1_000
MAX_NOTES: Final = 10
"""Notes that one trial gets."""
_LISTED: Final = 3


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
        """Name the document at `path` no more: there is none."""
        if path == self._rules_document:
            self._told.add(path)

    def note(
        self, path: str, shown: Mapping[str, Sequence[str]], is_unread: Callable[[str], bool], *, is_tool: bool
    ) -> str:
        """Return a note on a change at `path`, or by the tool there, before a document that governs it was read.

        Each document is named once; the note is empty if there is none to name. `shown` holds what listings have shown.
        """
        self._take(shown)
        named = _words(base_name(path) if is_tool else path.rpartition("/")[0])
        found = dict.fromkeys(each for word in named for each in self._by_word.get(word, ()) if each != path)
        if self._rules_document and self._rules_document != path:
            found = {self._rules_document: None, **found}
        unread = [each for each in found if each not in self._told and is_unread(each)][:_LISTED]
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
        """Take the documents among the paths that were shown since it was last asked."""
        for paths in islice(shown.values(), self._taken, None):
            for each in paths:
                if self._left > 0 and each.lower().endswith(_DOCUMENTS):
                    self._left -= 1
                    for word in _words(base_name(each).rpartition(".")[0]):
                        self._by_word.setdefault(word, []).append(each)
        self._taken = len(shown)


def _words(name: str) -> Iterable[str]:
    """Return the words of a name, whether they stand in the singular or the plural."""
    return dict.fromkeys(word.rstrip("s") for word in _WORD.findall(name.casefold()))
