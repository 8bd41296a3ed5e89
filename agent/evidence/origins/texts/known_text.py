"""Texts that a trial has received from one place, in which the values of calls are looked up.

A mail is a known text, and so are the user's request and the fields of a tool's result. A value
of a call is looked up by its *key*, which all its spellings share. An index has the keys of single
words and numbers. A *phrase*, the key of several words with a blank on each side, is found here:

    mail = KnownText("/mail/7.md", Origin.PROSE, parts=["Ann Miller gets 420 on 15 May 2026"])
    mail.has_phrase(" ann miller ")    -> True
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.texts.words import phrase_of

_GAP: Final = " \x1e "
"""Takes the place of a phrase that does not count. No phrase has this character, so the words
before and after it are not taken for neighbours."""


@dataclass(frozen=True)
class KnownText:
    """Texts from one place, with one origin."""

    place: str
    """Where the texts come from, as messages show it: `/mail/7.md`, `call 3 of search`."""
    origin: Origin
    """Who wrote the texts, and so how far their values are trusted."""
    parts: Sequence[str] = ()
    """The texts, unchanged."""
    path: str = ""
    """The file that has the texts. Empty for texts that are not from a file."""
    small_numbers: SmallNumbers = SmallNumbers.ALL
    """Which numbers of one or two digits count. Most texts have some by chance: `Room 13`."""
    passed_keys: frozenset[str] = frozenset()
    """The keys of values that the call itself passed: `gb33`, after `search("GB33")`. The text may
    repeat them, which proves nothing: else any tool could make a value trusted by repeating it. So
    they do not count."""
    passed_phrases: tuple[str, ...] = ()
    """Those of the keys that are phrases: ` ann miller `. They are left out of the words here."""

    @property
    def text(self) -> str:
        """All parts, one in each line."""
        return "\n".join(self.parts)

    def is_more_trusted_than(self, other: KnownText) -> bool:
        """Return True if the origin of this text is more trusted than that of another."""
        return self.origin < other.origin  # `Origin` counts from most to least trusted.

    def has_phrase(self, phrase: str) -> bool:
        """Return True if the texts have a phrase, such as ` ann miller `."""
        return phrase in self._searched_words

    @cached_property
    def _searched_words(self) -> str:
        """The words of each part, in a line, without the phrases that the call passed.

        The parts `Dear Ann Miller!` and `Pay Bob.` give ` dear ann miller ` and ` pay bob `.
        """
        words = "\n".join(phrase_of(part) for part in self.parts)
        for passed_phrase in self.passed_phrases:
            words = words.replace(passed_phrase, _GAP)
        return words
