"""The words that only a trial's own scripts have used, and that so prove nothing.

A script could make up a fact and cite it: it passes the note `fee is 7` to a tool, which stores the
note, and a later search returns it like the text of a file. So a word is an *own word* if no
result had it when a script passed it to a call that may change something:

    add(["fee is 7"])
    words   -> {"fee", "is", "7", "#7"}, where `#7` stands for 7, 7.00 and so on
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.own.comparable_words import comparable_words
from controlplane.agent.evidence.texts.own.end_words import end_words
from controlplane.agent.evidence.texts.own.result_words import ResultWords
from controlplane.sandbox.interface import bounds


class OwnWords:
    """The own words of one trial."""

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """The words that results have had so far. They are not the script's."""
        self._pending_word = ""
        """The last word of the last argument, in this or an earlier call: `vau`. The next argument
        may go on with it: a tool may append `lt` to `the vau`, and so have the word `vault`."""
        self.words: set[str] = set()
        """In small letters, as `comparable_words` returns them."""

    @property
    def is_full(self) -> bool:
        """True if there are too many own words to keep. From then on, any word may be one."""
        return len(self.words) > bounds.MOST_OWN_WORDS

    def add(self, arguments: Iterable[str]) -> None:
        """Add the words of the arguments of a call that may change something."""
        words_of_results = self._result_words.so_far()
        for argument in arguments:
            if self.is_full:
                return
            words = _words_in_any_form(argument)
            # After `the vau`, the argument `lt of gold.` has the first word `vault`. It ends with
            # a full stop, so no word is pending.
            ends = end_words(self._pending_word, argument)
            self._pending_word = ends.pending
            if ends.first:
                words.add(ends.first)
            self.words |= words - words_of_results


def _words_in_any_form(argument: str) -> set[str]:
    """Return the words of an argument as it is, and as a tool may decode it before it stores it.

    `dmF1bHQ=` -> `dmf1bhq`, `vault`
    """
    words: set[str] = set()
    for form in forms_of(argument):
        words |= comparable_words(form)
    return words
