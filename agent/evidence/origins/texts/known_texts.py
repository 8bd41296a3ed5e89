"""Looks values up in the texts that a trial has received, which are indexed as late as possible.

The account and the date of a call may be only in a mail, “Pay GB33 on 15 May 2026.” Indexing
is slow, above all that of numbers and dates, and many trials look up few values, or none. So
nothing is indexed until a value is looked up, and numbers only if the words do not suffice:

    texts.add(mail)                 # not indexed
    texts.find(["gb33"])            # -> mail; indexes the words: `pay`, `gb33`, `on`, `may`, ...
    texts.find(["2026-05-15"])      # -> mail; indexes the numbers, too

A value is looked up by its keys, the forms that all its spellings share: `2026-05-15` for the date.
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.text_index import TextIndex
from controlplane.agent.evidence.origins.texts.text_keys import (
    all_keys,
    number_keys,
    word_keys,
)
from controlplane.sandbox.interface import bounds


class KnownTexts:
    """The texts of one trial."""

    def __init__(self) -> None:
        self.index = TextIndex()
        self._not_indexed: list[KnownText] = []
        self._without_numbers: list[KnownText] = []  # only their words are indexed
        self._by_path: dict[str, list[KnownText]] = {}  # the texts that are indexed
        self._bytes = 0  # the size of all texts in UTF-8
        self.is_incomplete = False
        """True if a text was dropped for lack of room. It may have any value."""

    def add(self, text: KnownText) -> None:
        """Add a text, unless the texts take too much memory. It is indexed later."""
        for part in text.parts:
            self._bytes += len(part.encode("utf-8", "surrogatepass"))
        if self._bytes > bounds.MOST_TRACED_BYTES:
            self.is_incomplete = True
        else:
            self._not_indexed.append(text)

    def find(
        self, keys: Collection[str], *, sufficient: Origin = Origin.RECORD
    ) -> KnownText | None:
        """Return the most trusted text that has one of a value's keys; None if none has.

        A text with the origin `sufficient`, or a more trusted one, ends the search early: if a
        record has `1250` as a word, it is not asked whether the request has it as `1,250.00`.
        """
        self._index_words()
        text = self.index.find(keys)
        if text is not None and text.origin <= sufficient:
            return text
        if self._without_numbers:
            self._index_numbers()
            text = self.index.find(keys)
        return text

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all values that were read in a file."""
        self._index_words()
        keys = set[str]()
        for text in self._by_path.get(path, ()):
            keys |= all_keys(text)
        return keys

    def _index_words(self) -> None:
        """Index the words of new texts. Drop the texts for which the index has no room."""
        for text in self._not_indexed:
            if self.index.keys.is_full:
                self.is_incomplete = True
                break
            self.index.add(text, word_keys(text))
            self._without_numbers.append(text)
            self._by_path.setdefault(text.path, []).append(text)
        self._not_indexed.clear()

    def _index_numbers(self) -> None:
        """Index the numbers of the texts whose words are indexed."""
        for text in self._without_numbers:
            self.index.keys.add(text, number_keys(text))
        self._without_numbers.clear()
