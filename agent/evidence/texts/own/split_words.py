"""Joins a word that a script passes to a tool in two pieces.

A script could make up the word `vault`, and hide that: it passes `the vau` in one call, and
`lt of gold.` in the next. A tool that appends each text to a file then has the whole word, which no
single argument had. `OwnWords` asks for it:

| argument | its first word | remembered for the next argument |
|---|---|---|
| `the vau` | `the` | `vau`, which may go on |
| `lt of gold.` | `vault` | nothing, since the full stop ends `gold` |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.texts.forms.escapes import without_escapes
from controlplane.gates.text_folding import fold_text, parts_of

_MAX_WORD_CHARS: Final = 100
"""How many characters of an unfinished word are remembered. Real words are shorter."""


class SplitWords:
    """Reads the arguments of one trial's calls, in order, as one text."""

    def __init__(self) -> None:
        self._unfinished_word = ""
        """The word at the end of the last argument, if the next one may go on with it."""

    def first_word(self, argument: str) -> str:
        """Return the first word of the next argument, joined with the unfinished one before it.

        Empty if there is no word. Then remember the last word, if the argument ends with it.
        """
        folded = fold_text(without_escapes(argument))
        words = parts_of(self._unfinished_word + folded)
        self._unfinished_word = ""
        if folded[-1:].isalnum():
            self._unfinished_word = words[-1][-_MAX_WORD_CHARS:]
        return words[0] if words else ""
