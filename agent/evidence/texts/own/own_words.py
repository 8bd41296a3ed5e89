"""The words that only a trial's own scripts have used, and that so prove nothing.

A script could make up a fact and cite it: it passes the note `fee is 7` to a tool, which stores the
note, and a later search returns it like the text of a file. So a word is an *own word* if a script
passed it to a call that may change something before any result had it:

    add(["fee is 7"])
    words   -> {"fee", "is", "7", "#7"}, where `#7` stands for the number in any format
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.own.comparable_words import comparable_words
from controlplane.agent.evidence.texts.own.result_words import ResultWords
from controlplane.agent.evidence.texts.own.split_words import SplitWords
from controlplane.sandbox.interface import bounds


class OwnWords:
    """The own words of one trial."""

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """The words that results have had so far."""
        self._split_words = SplitWords()
        """Joins words that scripts pass in two pieces."""
        self.words: set[str] = set()
        """In small letters, as `comparable_words` returns them."""

    @property
    def is_full(self) -> bool:
        """True if there are too many own words to keep. From then on, any word may be one."""
        return len(self.words) > bounds.MOST_OWN_WORDS

    def add(self, arguments: Iterable[str]) -> None:
        """Add the words that a changing call passes, unless a result had them before."""
        returned = self._result_words.so_far()
        for argument in arguments:
            if self.is_full:
                return
            # A tool may append the text to the one before: `the vau` and `lt` become `the vault`.
            first_word = self._split_words.first_word(argument)
            words = {first_word} if first_word else set()
            # A tool may decode the text before it stores it: `dmF1bHQ=` becomes `vault`.
            for form in forms_of(argument):
                words |= comparable_words(form)
            self.words |= words - returned
