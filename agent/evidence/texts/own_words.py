"""Words of results that may come from the trial's own scripts, and so prove nothing.

Example: a script passes the note `fee is 7` to a tool, which stores it. A later search
returns the note as if it were from a file. But the script made it up. So a word is an
*own word* if a script passed it to a changing call before any result had it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from controlplane.agent.evidence.texts.result_words import (
    ResultWords,
    comparable_number,
    comparable_words,
)
from controlplane.agent.evidence.texts.text_forms import forms_of, without_escapes
from controlplane.gates.text_folding import fold_text, numbers_of, parts_of
from controlplane.sandbox.interface import bounds

_MAX_WORD_CHARS: Final = 100
"""How many characters of an argument's last word are kept. Real words are shorter."""


class OwnWords:
    """The own words of one trial: those that scripts used before any result had them.

        own_words.add(["fee is 7"])                # a script passes a note to a tool
        own_words.words_in("Fee: 7 EUR")           # -> "7" and "fee", one in each line
        own_words.are_all_words_of("the fee")      # -> False: `the` is not an own word

    A result may only repeat these words, so they prove nothing.
    """

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """The words that results had."""
        self._words: set[str] = set()
        self._unfinished_word = ""
        """The word at the end of the last argument: `vau`. The next one may go on with it."""

    def add(self, arguments: Iterable[str]) -> None:
        """Add the words in a changing call's arguments that no result has had so far.

        Once there are too many own words, nothing more is added (see `_is_full`).
        """
        returned = self._result_words.so_far()
        for argument in arguments:
            if self._is_full:
                return
            words = self._first_word(argument)
            # A tool may decode the text before it stores it: `dmF1bHQ=` becomes `vault`.
            for form in forms_of(argument):
                words |= comparable_words(form)
            self._words |= words - returned

    def _first_word(self, argument: str) -> set[str]:
        """Return the first word of an argument, together with what was left of the one before.

        A tool may append each text to the one before:

        | argument | returned | left for the next argument |
        |---|---|---|
        | `the vau` | `the` | `vau` |
        | `lt of gold.` | `vault` | nothing, since `gold` has ended |
        """
        folded = fold_text(without_escapes(argument))
        words = parts_of(self._unfinished_word + folded)
        may_go_on = folded[-1:].isalnum()
        self._unfinished_word = words[-1][-_MAX_WORD_CHARS:] if may_go_on else ""
        return set(words[:1])

    def words_in(self, text: str) -> str:
        """Return the own words in a text, one in each line, in alphabetical order."""
        if self._is_full:
            return text  # Any of its words may be one.
        if not self._words:
            return ""
        folded = fold_text(text)
        words = self._words.intersection(parts_of(folded))
        # A number may be in another format than the script's: `1,250.00` for `1250`.
        for number in numbers_of(folded):
            if comparable_number(number) in self._words:
                words.add(number)
        return "\n".join(sorted(words))

    def are_all_words_of(self, text: str) -> bool:
        """Return True if a text has words, and all of them are own words.

        Then nothing in it is known to come from the environment.
        """
        if self._is_full:
            return True
        words = parts_of(fold_text(text))
        return bool(words) and self._words.issuperset(words)

    @property
    def _is_full(self) -> bool:
        """True if there are too many own words to keep. From then on, any word may be one."""
        return len(self._words) > bounds.MOST_OWN_WORDS
