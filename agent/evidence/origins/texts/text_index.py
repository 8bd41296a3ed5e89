"""Finds the most trusted text that has a value, by a key or by a phrase.

A single word or number is looked up by its key, in a dictionary: `gb33bukb20201555555555` for an
account in whatever spelling. For several words, this would need too many keys. So a phrase, such
as ` ann miller `, is searched in the words of the texts:

    index.add(mail, ["ann", "miller", "gets", "420"])
    index.find(["420"])             # -> mail
    index.find([" ann miller "])    # -> mail, if it has this phrase
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.key_index import KeyIndex
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.texts_by_origin import TextsByOrigin
from controlplane.agent.evidence.origins.values.keys import is_phrase


@dataclass(frozen=True, slots=True)
class TextIndex:
    """The indexed texts of one trial."""

    keys: KeyIndex = field(default_factory=KeyIndex)
    _texts: TextsByOrigin = field(default_factory=TextsByOrigin)
    """The texts in which phrases are searched."""

    def add(self, text: KnownText, keys: Iterable[str]) -> None:
        """Add a text that has values with these keys. Its phrases are found without keys."""
        self._texts.add(text)
        self.keys.add(text, keys)

    def add_record(self, keys: Collection[str], place: str) -> None:
        """Add the values with these keys, as if a record at a place had them, and nothing else."""
        phrases = [key for key in keys if is_phrase(key)]
        record = KnownText(place, Origin.RECORD, parts=phrases)
        self.add(record, keys)

    def find(self, keys: Collection[str]) -> KnownText | None:
        """Return the most trusted text that has one of a value's keys; None if there is none."""
        best = self.keys.find(keys)
        for phrase in filter(is_phrase, keys):
            best = self._texts.find_phrase(phrase, better_than=best) or best
        return best
