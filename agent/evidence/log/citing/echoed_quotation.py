"""Whether a result may have a quotation only because it repeats what the script has passed.

A script could search for `fee: 7`, and quote the result `nothing has fee: 7`. So a quotation counts
only if enough of it is new. For a call that has passed the words `late fee`:

| quotation | may be an echo | because |
|---|---|---|
| `Late fee` | yes | the script has passed all of it |
| `7 EUR` | no | no word of it was passed |
| `fee: 7` | yes | besides `fee`, only the `7` is new, and this is too short |
| `fee: 7 EUR per month` | no | enough of it is new |
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.evidence.log.citing.bare_text import BareText
from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.text_folding import fold_text, parts_of

MIN_NEW_CHARS: Final = 6
"""How many letters and digits of a quotation must be new if some of its words are not."""


def may_be_echo(quotation: str, passed_text: str) -> bool:
    """Return True if a result may have a quotation only because its call has passed a text."""
    passed_all = BareText.of(quotation).joined in BareText.of(passed_text).joined
    if passed_all:
        return True

    passed_words = set(parts_of(fold_text(passed_text)))
    # Everyday words, such as `the`, tell nothing.
    words = {
        word for word in parts_of(fold_text(quotation)) if not is_boilerplate(word)
    }
    if words.isdisjoint(passed_words):
        return False
    new_chars = sum(len(word) for word in words - passed_words)
    return new_chars < MIN_NEW_CHARS
