"""The words that the calls of a trial have returned."""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import bounds


class ResultWords:
    """The words of one trial's results, in any result so far."""

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
                self._words |= _words_of_result(text)
        self._read_texts = len(self._texts)
        return self._words


def _words_of_result(text: SeenText) -> set[str]:
    """Return the words that a text has from the environment.

    Its tainted words do not count. A script has passed them to the call, so the result
    may only repeat them.
    """
    return comparable_words(text.text) - comparable_words(text.tainted)


def comparable_words(text: str) -> set[str]:
    """Return the words of a text, and its numbers in the form that all formats share.

    `Fee 1,200` -> `fee`, `1`, `200`, `#12`
    """
    folded = fold_text(text)
    words = set(parts_of(folded))
    words.update(comparable_number(number) for number in numbers_of(folded))
    return words


def comparable_number(number: str) -> str:
    """Return the `number_key` that all formats of a number share, marked with `#`.

    It is `#12` for `1,200.0` and `1200`. The `#` tells it from the word `12`.
    """
    return f"#{number_key(number)}"
