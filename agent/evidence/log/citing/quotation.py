"""A quotation of a file, in the forms in which it is compared with texts.

A script cites `/docs/fees.md` with the quotation `Fee: 7 EUR`. In the comparison, case, accents
and blanks do not matter: the text `FEE:  7 eur per month` has it. A script could also pass words to
a call, and quote them from the result. Such a quotation proves nothing (`may_repeat`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.log.citing.bare_text import BareText
from controlplane.gates.boilerplate import is_boilerplate
from controlplane.gates.quoting import quote
from controlplane.gates.text_folding import fold_text, parts_of
from controlplane.sandbox.interface import bounds

MIN_QUOTATION_CHARS: Final = 3
"""The shortest quotation, in characters that are not blanks. Shorter ones occur in any text."""
MIN_NEW_CHARS: Final = 6
"""How many letters and digits of a quotation must be new: not in the arguments of its call.
After a search for `fee`, the quotation `fee: 7` has only one, the `7`."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation, in the forms in which it is compared with texts."""

    bare_text: str
    """All of it, as `BareText` has it: `Fee: 7 EUR` -> `fee:7eur`."""
    words: frozenset[str]
    """Its words, without everyday words such as `the`."""

    @classmethod
    def of(cls, text: str) -> Quotation:
        """Return the forms of a quotation. Raises `ValueError` if it is too short or too long."""
        bare_text = BareText.of(text).joined
        is_too_long = len(text) > bounds.MOST_QUOTATION_CHARS
        if is_too_long or len(bare_text) < MIN_QUOTATION_CHARS:
            size = f"{MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
            msg = f"a quotation has {size}: {quote(text)}"
            raise ValueError(msg)
        words = {word for word in parts_of(fold_text(text)) if not is_boilerplate(word)}
        return cls(bare_text, frozenset(words))

    def may_repeat(self, script_text: str) -> bool:
        """Return True if a result may have the quotation only because it repeats a script's words.

        With the words `late fee` of the script:

        | quotation | may repeat them | reason |
        |---|---|---|
        | `Late fee` | yes | the script's words have all of it |
        | `7 EUR` | no | no word of it is the script's |
        | `fee: 7` | yes | besides the script's `fee`, only `7` is new, and this is too short |
        | `fee: 7 EUR per month` | no | enough of it is new |
        """
        if self.bare_text in BareText.of(script_text).joined:
            return True
        script_words = set(parts_of(fold_text(script_text)))
        if self.words.isdisjoint(script_words):
            return False
        new_words = self.words - script_words
        return sum(len(word) for word in new_words) < MIN_NEW_CHARS
