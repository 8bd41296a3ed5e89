"""A quotation of a file, in the forms in which it is compared with texts.

A script cites `/docs/fees.md` with the quotation `Fee: 7 EUR`. In the comparison, case, accents
and blanks do not matter: the text `FEE:  7 eur per month` has it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

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
    """All of it in small letters and without blanks: `Fee: 7 EUR` -> `fee:7eur`. A text that
    has the quotation has this as a part of its own bare text."""
    words: frozenset[str]
    """Its words, without everyday words such as `the`."""

    @classmethod
    def of(cls, text: str) -> Quotation:
        """Return the forms of a quotation. Raises `ValueError` if it is too short or too long."""
        bare_text = _without_blanks(text)
        is_too_long = len(text) > bounds.MOST_QUOTATION_CHARS
        if is_too_long or len(bare_text) < MIN_QUOTATION_CHARS:
            size = f"{MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
            msg = f"a quotation has {size}: {quote(text)}"
            raise ValueError(msg)
        words = {word for word in parts_of(fold_text(text)) if not is_boilerplate(word)}
        return cls(bare_text, frozenset(words))

    def may_repeat(self, script_text: str) -> bool:
        """Return True if a result may have the quotation only because it repeats a script's words.

        `script_text` has these words: the arguments of the call, and those of earlier calls
        that may have stored them. With the script's `late fee`:

        | quotation | may repeat it | reason |
        |---|---|---|
        | `Late fee` | yes | the script's words have all of it |
        | `fee: 7` | yes | besides the script's `fee`, only `7` is new, and this is too short |
        | `fee: 7 EUR per month` | no | most of it is new |
        | `7 EUR` | no | no word of it is the script's |
        """
        if not script_text:
            return False
        if self.bare_text in _without_blanks(script_text):
            return True
        script_words = set(parts_of(fold_text(script_text)))
        if self.words.isdisjoint(script_words):
            return False  # It repeats nothing.
        new_words = self.words - script_words
        new_chars = sum(len(word) for word in new_words)
        return new_chars < MIN_NEW_CHARS


def _without_blanks(text: str) -> str:
    """Return a text in small letters, without blanks and line breaks: `Fee: 7` -> `fee:7`."""
    return "".join(bare_lines(text))


def bare_lines(text: str) -> list[str]:
    """Return the lines of a text, folded and without blanks: `"a b: 1 200" -> "ab:1 200"`.

    Scripts quote JSON and prose in any spacing, so blanks are removed. A blank between
    two digits stays, even between two lines, so that two numbers do not become one.
    """
    lines: list[str] = []
    word_before = ""  # It may be the last word of the line before.
    for line in text.split("\n"):
        bare_line = ""
        for word in fold_text(line).split():
            is_between_digits = word_before[-1:].isdigit() and word[0].isdigit()
            if is_between_digits:
                bare_line += " "
            bare_line += word
            word_before = word
        lines.append(bare_line)
    return lines
