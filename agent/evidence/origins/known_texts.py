"""The texts that a trial has received, in which the values of arguments are looked up.

For the account of `send_money(recipient="GB33BUKB20201555555555")`, this is the request if the
user named it, or else the mail that says “Please pay 420 to GB33 BUKB 2020 1555 5555 55.”
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.text_index import TextIndex
from controlplane.agent.evidence.origins.texts_by_trust import TextsByTrust
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.value_keys import is_phrase
from controlplane.sandbox.interface import bounds


class KnownTexts:
    """The texts of one trial. `find` returns the most trusted one that has a value.

    Most trials look up few values, or none, and indexing is slow. So a look-up indexes the
    texts in two stages, the second only if it is needed:

    1. by words and accounts: `GB33BUKB2020` is found, and `2026-05-15` in this spelling;
    2. by numbers and dates, if no trusted text has the value yet: `2026-05-15` is now also
       found in a text that says `15 May 2026`.
    """

    def __init__(self) -> None:
        self._unindexed: list[KnownText] = []
        """Texts that are not indexed yet. The first stage takes them from here."""
        self._indexed_by_words_only: list[KnownText] = []
        """Texts that are not indexed by numbers yet. The second stage takes them from here."""
        self.index = TextIndex()
        """The indexed texts by the keys of their values: `emma@site.com` for `Emma@Site.com`."""
        self._texts = TextsByTrust()
        """The indexed texts, in which phrases are searched: ` ann miller `."""
        self._bytes = 0
        """The size of all texts in UTF-8."""
        self.is_incomplete = False
        """True if there were too many texts to keep.
        A value that is not found may be in one that was dropped."""

    def add(self, text: KnownText) -> None:
        """Add a text, unless the texts take too much memory. It is indexed later."""
        for part in text.parts:
            self._bytes += len(part.encode("utf-8", "surrogatepass"))
        if self._bytes > bounds.MOST_TRACED_BYTES:
            self.is_incomplete = True
        else:
            self._unindexed.append(text)

    def add_record(self, keys: Collection[str], place: str) -> None:
        """Add a record that has values with these keys. It is indexed by them at once."""
        phrases = [key for key in keys if is_phrase(key)]
        record = KnownText(place, Origin.RECORD, phrases)
        self._texts.add(record)
        self.index.add(record, keys)

    def find(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value; None if there is none."""
        self._index_words()
        text = self._find_indexed(value)
        is_trusted = text is not None and text.origin.is_trusted
        has_more_to_index = bool(self._indexed_by_words_only)
        if is_trusted or not has_more_to_index:
            return text
        # A more trusted text may have the same number or date in another spelling.
        self._index_numbers()
        return self._find_indexed(value)

    def _find_indexed(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that is indexed by a value's keys, or has its phrase."""
        best = self.index.find(value.keys)
        for key in value.keys:
            if is_phrase(key):
                best = self._texts.find_phrase(key, more_trusted_than=best) or best
        return best

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all values that were read in a file."""
        self._index_words()
        return self._texts.keys_of_file(path)

    def _index_words(self) -> None:
        """Index the new texts by their words. Drop those for which the index has no room."""
        for text in self._unindexed:
            if self.index.is_full:
                self.is_incomplete = True
                break
            self.index.add(text, text.word_keys())
            self._texts.add(text)
            self._indexed_by_words_only.append(text)
        self._unindexed.clear()

    def _index_numbers(self) -> None:
        """Index the texts by their numbers, dates and telephones, whatever their spelling."""
        for text in self._indexed_by_words_only:
            self.index.add(text, text.numeric_keys())
        self._indexed_by_words_only.clear()
