"""The words that a trial's calls have returned, to tell which words its scripts made up.

A word that a result has before any script passes it to a tool is the environment's. Any other
word in a result may only repeat what a script passed, and so proves nothing:

    a result has `Fee: 1,250.00`, then a script passes `1250`    the environment's
    a script passes `vault`, then a result has `vault`           made up by the script
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

_MOST_READ_CHARS: Final = bounds.MOST_EVIDENCE_BYTES
"""How many characters of results are read, as many as are kept if each takes a byte. Reading more
would take too long. Words of later results then count as made up if a script passes them."""


class ResultWords:
    """The words that one trial's results have had so far, except those that scripts passed."""

    def __init__(self, texts: Sequence[SeenText]) -> None:
        """`texts` is the list of the trial's seen texts. The owner of the list adds to it."""
        self._texts = texts
        self._read_count = 0
        """How many of the texts have been read."""
        self._room_chars = _MOST_READ_CHARS
        """How many more characters may be read."""
        self._words: set[str] = set()

    def so_far(self) -> set[str]:
        """Return the words. First read the texts that are new since the last time."""
        for text in self._texts[self._read_count :]:
            # A text that is no proof, such as a file that a script wrote, is left out.
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                self._words |= _words_of_result(text)
        self._read_count = len(self._texts)
        return self._words


def _words_of_result(text: SeenText) -> set[str]:
    """Return the words that a text has from the environment.

    The `script_words` of the text are left out: scripts have passed them, to this call or to an
    earlier one, so the result may only repeat them.
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
    """Return the key of a number, the same in all its formats: `#125` for `1,250.00` and `1250`.

    The `#` tells it from a word. Formats differ in the zeros at the ends (`1.5`, `01.50`), so
    these are left out. So 125 has the same key as 1250; a text seldom has both numbers.
    """
    return f"#{number_key(number)}"
