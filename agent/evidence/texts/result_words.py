"""The words that the calls of a trial have returned.

A word that a result had before any script used it is the environment's. Numbers are
compared in all their formats: if a result has `1,250.00`, a script that passes
`1250` to a tool has not made this number up.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


class ResultWords:
    """The words that one trial's results have had so far, as far as they are proof."""

    def __init__(self, texts: Sequence[SeenText]) -> None:
        """`texts` is the list of the trial's seen texts. The owner of the list adds to it."""
        self._texts = texts
        self._read_texts = 0
        """How many of the texts have been read."""
        self._room_chars = bounds.MOST_EVIDENCE_BYTES
        """How many more characters may be read. Later texts are left out, as they take too much
        time. Their words then count as made up by scripts, if a script uses them."""
        self._words: set[str] = set()

    def so_far(self) -> set[str]:
        """Return the words. First read the texts that are new since the last time."""
        for text in self._texts[self._read_texts :]:
            # A text that is no proof, such as a file that a script wrote, is left out.
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                self._words |= _words_of_result(text)
        self._read_texts = len(self._texts)
        return self._words


def _words_of_result(text: SeenText) -> set[str]:
    """Return the words that a text has from the environment.

    The `script_words` are left out: a script has passed them to the call, so the result may
    only repeat them.
    """
    return comparable_words(text.text) - comparable_words(text.script_words)


def comparable_words(text: str) -> set[str]:
    """Return the words of a text, and a key for each number that is the same in all formats.

    `Fee 1,250.00` -> `fee`, `1`, `250`, `00`, `#125`. The text `1250` has the same `#125`.
    """
    folded = fold_text(text)
    words = set(parts_of(folded))
    words.update(comparable_number(number) for number in numbers_of(folded))
    return words


def comparable_number(number: str) -> str:
    """Return the key of a number: its digits without zeros at the ends, after a `#`.

    `#125` for `1,250.00` and `1250`. The `#` tells it from the word `125`. The number 125
    has the same key, but a text seldom has both.
    """
    return f"#{number_key(number)}"
