"""The words that only a trial's own scripts have used, and that so prove nothing.

A script could make up a fact and cite it: it passes the note `fee is 7` to a tool, which stores the
note, and a later search returns it like the text of a file. So a word is an *own word* if a script
passed it to a call that may change something before any result had it. Each text that a call
returns is then marked:

    add(["fee is 7"])
    marked(SeenText("Fee: 7 EUR"))   -> SeenText("Fee: 7 EUR", script_words="7\\nfee")
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from controlplane.agent.evidence.texts.forms.text_forms import forms_of
from controlplane.agent.evidence.texts.own.comparable_words import (
    comparable_words,
    words_among,
)
from controlplane.agent.evidence.texts.own.result_words import ResultWords
from controlplane.agent.evidence.texts.own.split_words import SplitWords
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import bounds


class OwnWords:
    """The own words of one trial. If there are too many to keep, any word counts as one."""

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """The words that results have had so far."""
        self._split_words = SplitWords()
        """Joins words that scripts pass in two pieces."""
        self._words: set[str] = set()

    def add(self, arguments: Iterable[str]) -> None:
        """Add the words that a changing call passes, unless a result had them before."""
        returned = self._result_words.so_far()
        for argument in arguments:
            if len(self._words) > bounds.MOST_OWN_WORDS:
                return
            first_word = self._split_words.first_word(argument)
            words = {first_word} if first_word else set()
            # A tool may decode the text before it stores it: `dmF1bHQ=` becomes `vault`.
            for form in forms_of(argument):
                words |= comparable_words(form)
            self._words |= words - returned

    def marked(self, seen: SeenText) -> SeenText:
        """Return a text with its own words added to `script_words`, which it does not prove.

        A text that has only own words is no proof at all.
        """
        if not self._words or not seen.text:
            return seen
        if len(self._words) > bounds.MOST_OWN_WORDS:
            return _marked(seen, own_words=seen.text, is_proof=False)
        folded = fold_text(seen.text)
        own_words = words_among(self._words, folded)
        if not own_words:
            return seen
        has_other_words = not self._words.issuperset(parts_of(folded))
        is_proof = seen.is_proof and has_other_words
        return _marked(seen, "\n".join(sorted(own_words)), is_proof=is_proof)


def _marked(seen: SeenText, own_words: str, *, is_proof: bool) -> SeenText:
    script_words = f"{seen.script_words}\n{own_words}"  # one in each line
    return replace(seen, script_words=script_words, is_proof=is_proof)
