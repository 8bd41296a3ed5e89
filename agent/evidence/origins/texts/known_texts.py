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

    def find(self, keys: Collection[str]) -> KnownText | None:
        """Return a trusted text that has one of a value's keys, or else any; None if none has.

        If a record has `1250` and the request `1,250.00`, `1250` is found in the record, by its
        word. This suffices, as both are trusted.
        """
        text = self._find_by_words(keys)
        if text is not None and text.origin.is_trusted:
            return text
        return self._find_by_numbers(keys, text)

    def find_instruction(self, keys: Collection[str]) -> KnownText | None:
        """Return a text of the user or of the workspace's owner that has a value.

        For `1250`, the record above does not suffice: the request is found, by its number.
        """
        text = self._find_by_words(keys)
        if text is None or not text.origin.is_instruction:
            text = self._find_by_numbers(keys, text)
        if text is None or not text.origin.is_instruction:
            return None
        return text

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all values that were read in a file."""
        self._index_words()
        keys = set[str]()
        for text in self.index.texts.of_file(path):
            keys |= all_keys(text)
        return keys

    def _find_by_words(self, keys: Collection[str]) -> KnownText | None:
        """Return the most trusted text that has a value, as far as the texts are indexed."""
        self._index_words()
        return self.index.find(keys)

    def _index_words(self) -> None:
        """Index the words of new texts. Drop the texts for which the index has no room."""
        for text in self._not_indexed:
            if self.index.is_full:
                self.is_incomplete = True
                break
            self.index.add(text, word_keys(text))
            self._without_numbers.append(text)
        self._not_indexed.clear()

    def _find_by_numbers(
        self, keys: Collection[str], found_by_words: KnownText | None
    ) -> KnownText | None:
        """Return the most trusted text that has a value, once all numbers are indexed, too."""
        if not self._without_numbers:
            return found_by_words  # They were indexed before.
        for text in self._without_numbers:
            self.index.add_keys(text, number_keys(text))
        self._without_numbers.clear()
        return self.index.find(keys)
