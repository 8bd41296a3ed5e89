"""The words at the two ends of an argument, which a script may have split over two calls.

A script could make up the word `vault`, and pass it in two pieces: `the vau` in one call, and
`lt of gold.` in the next. A tool that appends each text to a file then has the whole word, which no
single argument had. `OwnWords` joins the pieces, so that the word counts as the script's:

| unfinished before | argument | first word | unfinished behind it |
|---|---|---|---|
| nothing | `the vau` | `the` | `vau`, as the next argument may go on with it |
| `vau` | `lt of gold.` | `vault` | nothing, since the full stop ends `gold` |
| `vau` | `lt` | `vault` | `vault`, which may become `vaults` |
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controlplane.agent.evidence.texts.forms.escapes import without_escapes
from controlplane.gates.text_folding import fold_text, parts_of

_MAX_WORD_CHARS: Final = 100
"""How many characters of an unfinished word are kept: its last ones. Real words are shorter."""


class EndWords(NamedTuple):
    """The words at the two ends of an argument."""

    first: str
    """The first word, with the unfinished one before it; empty if there is no word."""
    unfinished: str
    """The last word, if nothing behind it ends it; otherwise empty."""


def end_words(unfinished: str, argument: str) -> EndWords:
    """Return the words at the ends of an argument that follows an `unfinished` word."""
    folded = fold_text(without_escapes(argument))
    words = parts_of(unfinished + folded)
    if not words:
        return EndWords(first="", unfinished="")
    is_finished = not folded[-1:].isalnum()
    if is_finished:
        return EndWords(words[0], unfinished="")
    return EndWords(words[0], unfinished=words[-1][-_MAX_WORD_CHARS:])
