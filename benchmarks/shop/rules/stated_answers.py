"""What the text of an answer states: a yes, a no, or a number.

Rules compare it with the citations. An answer "Yes" to "do you sell such a lamp?" has to cite a
lamp, and an answer "3" to "how many?" at most three products.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.texts.yes_no_words import (
    NO_WORDS,
    YES_WORDS,
    certain_yes_no_words,
)
from controlplane.gates.surrogates import encodable

_BEGINNING_CHARS: Final = 200
"""The number of characters at the start of an answer in which a yes or a no is looked for."""


def stated_yes(answer: str, rules: str) -> bool | None:
    """Return True if the whole answer is a yes, False if it is a no, None otherwise.

    `rules` is the shop's rules document. It may define words of its own, which count first:
    "Answer `1` for yes, `0` for no."
    """
    own_words = certain_yes_no_words(rules)
    if own_words is not None and answer.strip() in own_words:
        return answer.strip() == own_words.yes
    # Compare the letters alone, because a yes may be in a template or in quotation marks: `<Yes.>`.
    beginning = answer[:_BEGINNING_CHARS].lower()
    letters = "".join(char for char in beginning if "a" <= char <= "z")
    return _yes_or_no(letters)


_FIRST_WORD: Final = re2.compile(r"(?i)\W{0,3}([a-z]+)\b")
"""The first word of an answer, after at most three signs: `Yes` of `"Yes, two."`."""


def begins_with_yes(answer: str) -> bool | None:
    """Return True if the first word of an answer is a yes, False if it is a no, None otherwise.

    Unlike in `stated_yes`, more text may follow: `Nein, 3.` -> False.
    """
    match = _FIRST_WORD.match(encodable(answer[:_BEGINNING_CHARS]))
    return _yes_or_no(match[1].lower()) if match else None


def _yes_or_no(word: str) -> bool | None:
    """Return True for `yes` and False for `no`, in several languages; None for other words."""
    if word in YES_WORDS:
        return True
    if word in NO_WORDS:
        return False
    return None


_SHORT_TEXT: Final = r"\D{0,19}"
"""A few words or signs without digits, such as the `<COUNT:` of a template.

In a longer text, the number would be one fact among others.
"""
_SEPARATOR: Final = r"[^\pL\pN_-]"
"""A character that separates words: the number must not be a part of `AB-3`."""
_NUMBER: Final = re2.compile(
    rf"(?s)(?:{_SHORT_TEXT}{_SEPARATOR})?(\d{{1,6}})(?:{_SEPARATOR}{_SHORT_TEXT})?"
)
"""An answer that is one number, perhaps in a template: `3`, `<COUNT:3>`."""


def stated_number(answer: str) -> int | None:
    """Return the only number in an answer, bare or in a template; None for other answers.

    `<COUNT:3>` -> 3. `FALSE(0)` is a no and not a number.
    """
    if begins_with_yes(answer) is not None:
        return None
    match = _NUMBER.fullmatch(encodable(answer.strip()))
    return int(match[1]) if match else None
