"""The words that a trial's calls have returned, to tell which words its scripts made up.

A word that a result has before any script passes it to a tool is the environment's. Any other
word in a result may only repeat what a script passed, and so proves nothing:

    a result has `vault`, then a script passes `vault`    the environment's
    a script passes `vault`, then a result has `vault`    made up by the script
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.evidence.texts.own.comparable_words import comparable_words
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds

_MOST_READ_CHARS: Final = bounds.MOST_EVIDENCE_BYTES
"""How many characters of results are read, so that this does not take too long. A word that only
later results have counts as made up once a script passes it."""


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
    """Return the words that a text has from the environment, in a form for all their spellings.

    Its unproven words are left out: scripts have passed them, to this call or to an earlier one,
    so the result may only repeat them.
    """
    return comparable_words(text.text) - comparable_words(text.unproven_words)
