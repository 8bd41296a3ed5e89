"""The texts that a trial has received, in which the values of arguments are looked up.

For the account of `send_money(recipient="GB33BUKB20201555555555")`, this is the request if the
user named it, or else the mail that says “Please pay 420 to GB33 BUKB 2020 1555 5555 55.”
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.evidence.origins.known_text import KnownText
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.text_index import TextIndex
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values.keys import is_phrase
from controlplane.agent.evidence.origins.values.numeric_keys import keys_of_numbers
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words
from controlplane.sandbox.interface import bounds


class KnownTexts:
    """The texts of one trial. `find` returns the most trusted one that has a value.

    Most trials look up few values, or none, and indexing is slow. So a look-up indexes the
    texts in two stages, the second only if no trusted text has the value yet:

    | stage | keys of `Pay GB33... on 15 May 2026` | finds |
    |---|---|---|
    | 1. words | `pay`, `gb33...`, `on`, `may`, `2026` | the account `GB33...` |
    | 2. numbers and dates | `2026-05-15` | the date `2026-05-15`, in whatever spelling |
    """

    def __init__(self) -> None:
        self.index = TextIndex()
        """The texts that have passed stage 1."""
        self._without_words: list[KnownText] = []
        """The texts that wait for stage 1."""
        self._without_numbers: list[KnownText] = []
        """The texts that have passed stage 1, and wait for stage 2."""
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
            self._without_words.append(text)

    def add_record(self, keys: Collection[str], place: str) -> None:
        """Add a record of which only the keys of its values are known. It is indexed at once."""
        # A phrase, the key of several words (` ann miller `), is searched in the text itself.
        phrases = [key for key in keys if is_phrase(key)]
        self.index.add(KnownText(place, Origin.RECORD, phrases), keys)

    def find(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value; None if there is none."""
        self._index_words()
        text = self.index.find(value.keys)
        if text is not None and text.origin.is_trusted:
            return text
        if not self._without_numbers:
            return text  # All texts have passed stage 2.
        # A trusted text may have the same number or date in another spelling.
        self._index_numbers()
        return self.index.find(value.keys)

    def keys_of_file(self, path: str) -> set[str]:
        """Return the keys of all values that were read in a file.

        If the file says `Pay 4 on 15 May 2026`, these are `4`, `2026-05-15` and those of the
        words. A call that changes the file may keep these values.
        """
        self._index_words()
        keys = set[str]()
        for text in self.index.texts_of_file(path):
            keys |= keys_of_words(text.text)
            keys |= keys_of_numbers(text.text, SmallNumbers.ALL)  # also the 4
        return keys

    def _index_words(self) -> None:
        """Do stage 1 for the texts that wait. Drop those for which the index has no room."""
        for text in self._without_words:
            if self.index.is_full:
                self.is_incomplete = True
                break
            self.index.add(text, text.word_keys())
            self._without_numbers.append(text)
        self._without_words.clear()

    def _index_numbers(self) -> None:
        """Do stage 2 for the texts that wait."""
        for text in self._without_numbers:
            self.index.add_keys(text, text.numeric_keys())
        self._without_numbers.clear()
