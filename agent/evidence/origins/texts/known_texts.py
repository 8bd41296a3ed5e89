"""Keeps the texts that a trial has received, and indexes them once a value is looked up.

To index the words of a text is slow, and many trials look up no value. So a new text waits:

    texts.add(mail)          # “Pay GB33 on 15 May 2026.”
    texts.find(["gb33"])     # -> mail; it is indexed only now

A value is looked up by its *keys*, which all its spellings share: `2026-05-15` for the date.
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.text_index import TextIndex
from controlplane.agent.evidence.origins.texts.text_keys import all_keys
from controlplane.sandbox.interface import bounds


class KnownTexts:
    """The texts of one trial, as far as there is room for them."""

    def __init__(self) -> None:
        self.index = TextIndex()
        self.is_incomplete = False
        """True if a text was dropped for lack of room. It may have any value."""
        self._new: list[KnownText] = []  # the texts that are not indexed
        self._by_path: dict[str, list[KnownText]] = {}  # those that are indexed
        self._bytes = 0  # the size of all texts in UTF-8

    def add(self, text: KnownText) -> None:
        """Add a text, unless the texts take too much memory. It is indexed later."""
        for part in text.parts:
            self._bytes += len(part.encode("utf-8", "surrogatepass"))
        if self._bytes > bounds.MOST_TRACED_BYTES:
            self.is_incomplete = True
        else:
            self._new.append(text)

    def find(
        self, keys: Collection[str], *, sufficient: Origin = Origin.RECORD
    ) -> KnownText | None:
        """Return the most trusted text that has one of a value's keys; None if none has.

        The search may end at a text that is trusted as much as `sufficient`. For a value that no
        text has, the result is None even if a text was dropped: see `is_incomplete`.
        """
        self._index_new()
        return self.index.find(keys, sufficient=sufficient)

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all values that were read in a file."""
        self._index_new()
        keys = set[str]()
        for text in self._by_path.get(path, ()):
            keys |= all_keys(text)
        return keys

    def _index_new(self) -> None:
        """Index the new texts. Once the index is full, drop the ones that are left."""
        for text in self._new:
            if self.index.keys.is_full:
                self.is_incomplete = True
                break
            self.index.add(text)
            self._by_path.setdefault(text.path, []).append(text)
        self._new.clear()
