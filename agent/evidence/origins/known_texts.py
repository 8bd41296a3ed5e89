"""The texts that a trial has received, in which values are looked up.

A value is looked up by its keys (`values/value_keys.py`): `Emma@Site.com` has the key
`emma@site.com`. A value of several words has no key. It is searched in the texts as
a phrase: ` ann miller `.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.argument_origin import TRUSTED, Origin
from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.text_index import TextIndex
from controlplane.agent.evidence.origins.texts_by_trust import TextsByTrust
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueKeys,
)
from controlplane.sandbox.interface import bounds


class KnownTexts:
    """The texts of one trial. `find` returns the most trusted one that has a value.

    Most trials look up few values, or none. So a look-up first indexes the texts that
    need it:
    1. by their words, at the first look-up;
    2. by the meaning of their numbers and dates, if words do not find the value.
    """

    def __init__(self) -> None:
        self.index = TextIndex()
        self._texts = TextsByTrust()
        """The texts that are indexed by words."""
        self._without_words: list[KnownText] = []
        """Texts that are not indexed by words yet."""
        self._without_spellings: list[KnownText] = []
        """Texts whose numbers and dates are not indexed by meaning yet."""
        self._bytes = 0
        """The size of all texts in UTF-8."""
        self.is_incomplete = False
        """True if there were too many texts to keep.
        A value that is not found may be in one of the others."""

    def add(self, text: KnownText) -> None:
        """Add a text, unless the texts take too much memory."""
        for part in text.parts:
            self._bytes += len(part.encode("utf-8", "surrogatepass"))
        if self._bytes > bounds.MOST_TRACED_BYTES:
            self.is_incomplete = True
        else:
            self._without_words.append(text)

    def add_values(self, values: ValueKeys, place: str) -> None:
        """Add a record that consists of values. It is indexed by them at once."""
        record = KnownText(place, Origin.RECORD, list(values.phrases))
        self._texts.add(record)
        self.index.add(record, [*values.keys, *values.phrases])

    def find(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value; None if there is none."""
        self._index_words()
        text = self._find_indexed(value)
        is_trusted = text is not None and text.origin in TRUSTED
        if is_trusted or not self._without_spellings:
            return text
        # A text may have the same number or date in another spelling.
        self._index_spellings()
        return self._find_indexed(value)

    def _find_indexed(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that is indexed by a value's keys, or has its phrase."""
        text = self.index.find(value.keys)
        if not value.phrase:
            return text
        return self._texts.find_phrase(value.phrase, text)

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all text that was read in a file."""
        self._index_words()
        return self._texts.keys_of_file(path)

    def _index_words(self) -> None:
        """Index the texts by their words, while there is room in the index."""
        for text in self._without_words:
            if self.index.is_full:
                self.is_incomplete = True
                break
            self._texts.add(text)
            self._without_spellings.append(text)
            self.index.add(text, text.word_keys())
        self._without_words.clear()

    def _index_spellings(self) -> None:
        """Index the texts by the meaning of their numbers, dates and telephones."""
        for text in self._without_spellings:
            self.index.add(text, text.spelling_keys())
        self._without_spellings.clear()
