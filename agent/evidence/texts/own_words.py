"""Words of results that may come from the trial's own scripts, and so prove nothing.

Example: a script passes the note `fee is 7` to a tool, which stores it. A later search
returns the note as if it were from a file. But the script made it up.

So a word is an *own word* if a script passed
it to a changing call before any result had it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.agent.evidence.texts.text_forms import forms_of, without_escapes
from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import bounds

_MAX_WORD_CHARS: Final = 100
"""How many characters of an argument's last word are kept. Real words are shorter."""


class ResultWords:
    """The words that calls have returned, in any result so far."""

    def __init__(self, texts: Sequence[SeenText]) -> None:
        """`texts` is the list of the trial's seen texts, which grows with each call."""
        self._texts = texts
        self._read_texts = 0
        """How many of the texts have been read."""
        self._room_chars = bounds.MOST_EVIDENCE_BYTES
        """How many more characters may be read."""
        self._words: set[str] = set()

    def so_far(self) -> set[str]:
        """Return the words. First read the texts that are new since the last time."""
        for text in self._texts[self._read_texts :]:
            # A text that is not proof may be by a script itself.
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                # Tainted words may only be repeated from the call's own arguments.
                self._words |= _words_of(text.text) - _words_of(text.tainted)
        self._read_texts = len(self._texts)
        return self._words


class OwnWords:
    """The own words of one trial: its scripts passed them to calls before any result had them."""

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        self._words: set[str] = set()
        self._ending = ""
        """The last word of the argument before: a tool may join the next one to it."""

    def add(self, arguments: Iterable[str]) -> None:
        """Add the words in a changing call's arguments that no result has had so far."""
        returned = self._result_words.so_far()
        for text in arguments:
            if self._is_full:
                return
            words = self._words_at_join(text)
            # A tool may decode the text before it stores or repeats it.
            for form in forms_of(text):
                words |= _words_of(form)
            self._words |= words - returned

    def _words_at_join(self, text: str) -> set[str]:
        """Return the word that a tool makes if it joins an argument to the one before.

        The arguments `vau` and `lt` make `vault`.
        """
        folded = fold_text(without_escapes(text))
        words = parts_of(self._ending + folded)
        self._ending = ""
        if folded[-1:].isalnum():  # The next argument may go on with this word.
            self._ending = words[-1][-_MAX_WORD_CHARS:]
        return set(words[:1])

    def words_in(self, text: str) -> str:
        """Return the own words in a text, one in each line."""
        if self._is_full:
            return text  # Any of its words may be one.
        if not self._words:
            return ""
        folded = fold_text(text)
        words = self._words.intersection(parts_of(folded))
        for number in numbers_of(folded):
            if _number_key(number) in self._words:
                words.add(number)
        return "\n".join(sorted(words))

    def make_up(self, text: str) -> bool:
        """Return True if a text has words, and all of them are own words."""
        if self._is_full:
            return True
        words = parts_of(fold_text(text))
        return bool(words) and self._words.issuperset(words)

    @property
    def _is_full(self) -> bool:
        """True if there are too many own words to keep. Then any word may be one."""
        return len(self._words) > bounds.MOST_OWN_WORDS


def _words_of(text: str) -> set[str]:
    """Return the words of a text, and the keys of its numbers.

    `Fee 1,200` -> `fee`, `1`, `200`, `#12`
    """
    folded = fold_text(text)
    words = set(parts_of(folded))
    words.update(_number_key(number) for number in numbers_of(folded))
    return words


def _number_key(number: str) -> str:
    """Return the `number_key` that all formats of a number share, marked with `#`.

    It is `#12` for `1,200.0` and `1200`. The `#` tells it from the word `12`.
    """
    return f"#{number_key(number)}"
