"""The words at the two ends of an argument, which a script may have split over two calls.

A script could make up the word `vault`, and pass it in two pieces: `the vau` in one call, and
`lt of gold.` in the next. A tool that appends each text to a file then has the whole word, which no
single argument had. So the last word of an argument is *pending*: the next argument may go on with
it. The joined word is the script's own, so a file that has it later proves nothing:

| pending before | argument | first word | pending after |
|---|---|---|---|
| nothing | `the vau` | `the` | `vau` |
| `vau` | `lt of gold.` | `vault` | nothing, since the full stop ends `gold` |
| `vau` | `lt` | `vault` | `vault`, which may become `vaults` |
| `vau` | ` lt` | `vau` | `lt`, since a blank has ended `vau` |
| `vau` | an empty one | none | `vau`, since nothing was appended |
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controlplane.agent.evidence.texts.forms.escapes import without_escapes
from controlplane.gates.text_folding import fold_text, parts_of

_MAX_WORD_CHARS: Final = 100
"""How many characters of a pending word are kept: its last ones. Real words are shorter."""


class EndWords(NamedTuple):
    """The words at the two ends of an argument."""

    first: str
    """The first word, joined to the pending one before it; empty if there is no word."""
    pending: str
    """The last word, if no other character follows it in the argument; otherwise empty."""


def end_words(pending: str, argument: str) -> EndWords:
    """Return the words at the ends of an argument that follows a `pending` word, or none: `""`."""
    folded = fold_text(without_escapes(argument))
    if not folded:
        return EndWords(first="", pending=pending)

    words = parts_of(pending + folded)  # `vault of gold.` -> `vault`, `of`, `gold`
    if not words:
        return EndWords(first="", pending="")
    ends_within_word = folded[-1:].isalnum()
    if ends_within_word:
        return EndWords(words[0], pending=words[-1][-_MAX_WORD_CHARS:])
    return EndWords(words[0], pending="")
