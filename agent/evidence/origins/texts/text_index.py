"""Finds the most trusted text that has a value of a call.

A value is looked up by a *key*, which all its spellings share. A mail says “Ann Miller gets 420 on
15 May 2026.” Its values are found in three ways:

| key | is |
|---|---|
| `miller`, `420` | a word. The words of a text are indexed when it is added |
| ` ann miller ` | a phrase of several words. It is searched in the texts themselves |
| `2026-05-15` | a date or number. They are slow to read, so they are indexed when one is needed |
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.key_index import KeyIndex
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.text_keys import number_keys, word_keys
from controlplane.agent.evidence.origins.texts.texts_by_origin import TextsByOrigin
from controlplane.agent.evidence.origins.values.keys import is_phrase


class TextIndex:
    """The indexed texts of one trial."""

    def __init__(self) -> None:
        self.keys = KeyIndex()
        """Finds a text by a word, a number or a date."""
        self._texts = TextsByOrigin()
        """All texts, in which phrases are searched."""
        self._without_numbers: list[KnownText] = []
        """The texts whose numbers and dates are not in `keys` so far."""

    def add(self, text: KnownText) -> None:
        """Add a text, and index its words."""
        self.keys.add(text, word_keys(text))
        self._texts.add(text)
        self._without_numbers.append(text)

    def add_record(self, keys: Collection[str], place: str) -> None:
        """Add a text that has only the values with these keys, as if it were a record."""
        phrases = [key for key in keys if is_phrase(key)]
        record = KnownText(place, Origin.RECORD, parts=phrases)
        self._texts.add(record)
        self.keys.add(record, keys)

    def find(self, keys: Collection[str], *, sufficient: Origin) -> KnownText | None:
        """Return the most trusted text that has one of a value's keys; None if none has.

        A text that is trusted as much as `sufficient`, or more, is returned without a look at the
        numbers: if a record has the word `1250`, another text may well have it as `1,250.00`.
        """
        text = self._find(keys)
        # The more trusted an origin is, the smaller it is.
        if text is not None and text.origin <= sufficient:
            return text
        if self._without_numbers:
            self._index_numbers()
            text = self._find(keys)
        return text

    def _find(self, keys: Collection[str]) -> KnownText | None:
        """Return the most trusted text that has a value, as far as the texts are indexed."""
        best = self.keys.find(keys)
        for phrase in filter(is_phrase, keys):
            best = self._texts.find_phrase(phrase, better_than=best) or best
        return best

    def _index_numbers(self) -> None:
        """Index the numbers of all texts."""
        for text in self._without_numbers:
            self.keys.add(text, number_keys(text))
        self._without_numbers.clear()
