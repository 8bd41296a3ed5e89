"""Texts that a trial has received from one place, and the keys of the values in them.

A mail is a known text, and so are the user's request and the fields of a tool's result. The
mail “Please pay 420 to GB33 BUKB 2020 1555 5555 55.” has, among others, the keys `420` and
`gb33bukb20201555555555`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.keys import (
    is_phrase,
    is_small_number,
)
from controlplane.agent.evidence.origins.values.numeric_keys import keys_of_numbers
from controlplane.agent.evidence.origins.values.small_numbers import SmallNumbers
from controlplane.agent.evidence.origins.values.word_keys import keys_of_words
from controlplane.agent.evidence.texts.words import phrase_of

_PASSED_PHRASE: Final = " \x1e "
"""Takes the place of a phrase that the call passed. No phrase has this character."""


@dataclass
class KnownText:
    """Texts from one place, with one origin, in which the values of arguments are found.

    For the mail “Ann Miller gets 420 on 15 May 2026”:

    - `word_keys` has `ann`, `miller`, `gets`, `420`, `may` and so on,
    - `numeric_keys` has `420`, `2026-05-15`, and `--05-15` for the day in any year,
    - `has_phrase` finds ` ann miller `: there are too many phrases to list.
    """

    place: str
    """Where the texts come from, as messages show it: `/mail/7.md`, `call 3 of search`."""
    origin: Origin
    """Who wrote the texts, and so how far their values are trusted."""
    parts: list[str] = field(default_factory=list)
    """The texts, unchanged."""
    path: str = ""
    """The file that has the texts. Empty for texts that are not from a file."""
    small_numbers: SmallNumbers = SmallNumbers.ALL
    """Which numbers of one or two digits count. Most texts have some by chance: `Room 13`."""
    passed_keys: tuple[str, ...] = ()
    """The keys that do not count, since the call itself passed their values: `gb33...`, after
    `search("GB33...")`, and the phrase ` ann miller `, after `search("Ann Miller")`. If they
    did, any tool could make a value trusted by repeating it."""

    @property
    def text(self) -> str:
        """All parts, one in each line."""
        return "\n".join(self.parts)

    def is_more_trusted_than(self, other: KnownText) -> bool:
        """Return True if the origin of this text is more trusted than that of another."""
        return self.origin < other.origin  # `Origin` counts from most to least trusted.

    def word_keys(self) -> set[str]:
        """Return the keys of the words: `emma@site.com` for `Emma@Site.com`."""
        keys = keys_of_words(self.text)
        if self.small_numbers is SmallNumbers.WHOLE_FIELD:
            # Each part is a field. One that is only a small number counts, such as the id `7`.
            fields = map(str.strip, self.parts)
            keys.update(filter(is_small_number, fields))
        return keys.difference(self.passed_keys)

    def numeric_keys(self) -> set[str]:
        """Return the keys of numbers, dates and telephones: `2026-05-15` for `15 May 2026`."""
        keys = keys_of_numbers(self.text, self.small_numbers)
        return keys.difference(self.passed_keys)

    def has_phrase(self, phrase: str) -> bool:
        """Return True if the texts have a phrase: ` ann miller `, the key of several words."""
        return phrase in self._searched_words

    @cached_property
    def _searched_words(self) -> str:
        """The words of each part, in a line, without the phrases that the call passed.

        The parts `Dear Ann Miller!` and `Pay Bob.` give ` dear ann miller ` and ` pay bob `.
        """
        words = "\n".join(phrase_of(part) for part in self.parts)
        for passed_phrase in filter(is_phrase, self.passed_keys):
            words = words.replace(passed_phrase, _PASSED_PHRASE)
        return words
