"""Finds the most trusted text that has a value.

A value is found by its keys, which all its spellings share: a mail with `GB33 BUKB 2020 1555
5555 55` has the key `gb33bukb20201555555555`. If the user's request has this key, too, the
request is found, since the user is trusted more than the mail.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.texts.texts_by_origin import TextsByOrigin
from controlplane.agent.evidence.origins.values.keys import is_phrase
from controlplane.sandbox.interface import bounds


@dataclass(slots=True)
class TextIndex:
    """The texts of one trial, by the keys of their values.

        index.add(request, ["gb33...", "bob"])
        index.add(mail, ["gb33...", "420"])
        index.find(["gb33..."])         # -> request
        index.find([" ann miller "])    # -> mail, if it has this phrase

    A key that several texts have leads to the most trusted one.
    """

    _by_key: dict[str, KnownText] = field(default_factory=dict)
    """The most trusted text that has each key."""
    _texts: TextsByOrigin = field(default_factory=TextsByOrigin)
    """All texts. A phrase is searched in their words."""

    @property
    def is_full(self) -> bool:
        """True if no other text may be added. `KnownTexts` asks before it adds one."""
        return len(self._by_key) > bounds.MOST_TRACED_KEYS

    def add(self, text: KnownText, keys: Iterable[str]) -> None:
        """Add a text that has values with these keys. Its phrases are found without keys."""
        self._texts.add(text)
        self.add_keys(text, keys)

    def add_keys(self, text: KnownText, keys: Iterable[str]) -> None:
        """Add further keys of a text. A key leads to the first of the most trusted texts."""
        for key in keys:
            earlier = self._by_key.get(key)
            if earlier is None or text.is_more_trusted_than(earlier):
                self._by_key[key] = text

    def add_record(self, keys: Collection[str], place: str) -> None:
        """Add the values with these keys, as if a record at a place consisted of them."""
        phrases = [key for key in keys if is_phrase(key)]
        record = KnownText(place, Origin.RECORD, parts=phrases)
        self.add(record, keys)

    def find(self, keys: Collection[str]) -> KnownText | None:
        """Return the most trusted text that has one of a value's keys; None if there is none."""
        best = self._find_by_key(keys)
        for phrase in filter(is_phrase, keys):
            best = self._texts.find_phrase(phrase, better_than=best) or best
        return best

    def _find_by_key(self, keys: Iterable[str]) -> KnownText | None:
        """Return the most trusted text that was added with one of these keys."""
        best: KnownText | None = None
        for key in keys:
            text = self._by_key.get(key)
            if text is not None and (best is None or text.is_more_trusted_than(best)):
                best = text
        return best

    def is_only_in_prose(self, key: str) -> bool:
        """Return True if running text has a key, and no more trusted text does."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE
