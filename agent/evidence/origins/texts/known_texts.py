"""Looks values up in the texts that a trial has received, which are indexed as late as possible.

The account of a call may be only in a mail, “Pay GB33... on 15 May 2026.” Indexing is slow, and
most trials look up few values, or none. So texts wait, and a look-up indexes them in two stages,
the second only if no trusted text has the value yet:

| stage | keys of the mail | finds |
|---|---|---|
| 1. words | `pay`, `gb33...`, `on`, `may`, `2026` | the account `GB33...` |
| 2. numbers and dates | `2026-05-15` | the date `2026-05-15`, in whatever spelling |
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.text_index import TextIndex
from controlplane.agent.evidence.origins.texts.text_keys import number_keys, word_keys
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.sandbox.interface import bounds


class KnownTexts:
    """The texts of one trial."""

    def __init__(self) -> None:
        self.index = TextIndex()  # the texts that have passed stage 1
        self._before_stage_1: list[KnownText] = []
        self._before_stage_2: list[KnownText] = []
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
            self._before_stage_1.append(text)

    def find(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value; None if there is none.

        If a trusted text has one of the value's words, others with another spelling are not
        searched: for `1250`, a record with `1250` is found, not the request with `1,250.00`.
        """
        self._index_words()
        text = self.index.find(value.keys)
        if text is not None and text.origin.is_trusted:
            return text
        if self._before_stage_2:
            self._index_numbers()
            text = self.index.find(value.keys)
        return text

    def find_instruction(self, value: ArgumentValue) -> KnownText | None:
        """Return a text of the user or of the workspace's owner that has a value in any spelling."""
        text = self.find(value)
        if text is not None and text.origin is Origin.RECORD:
            self._index_numbers()
            text = self.index.find(value.keys)
        if text is not None and text.origin.is_instruction:
            return text
        return None

    def of_file(self, path: str) -> list[KnownText]:
        """Return the texts that were read in a file."""
        self._index_words()
        return self.index.texts.of_file(path)

    def _index_numbers(self) -> None:
        """Do stage 2 for the texts that have passed stage 1."""
        for text in self._before_stage_2:
            self.index.add_keys(text, number_keys(text))
        self._before_stage_2.clear()

    def _index_words(self) -> None:
        """Do stage 1 for the texts that wait. Drop those for which the index has no room."""
        for text in self._before_stage_1:
            if self.index.is_full:
                self.is_incomplete = True
                break
            self.index.add(text, word_keys(text))
            self._before_stage_2.append(text)
        self._before_stage_1.clear()
