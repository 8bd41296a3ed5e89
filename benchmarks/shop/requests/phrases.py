"""Patterns of words that follow each other: in one sentence, on one line, or as an order.

The wordings of requests are made of them. `in_one_sentence("approve", "refund")` matches
"Please approve the refund", but not "Approve it. My refund is late."
"""

from __future__ import annotations

from typing import Final


def any_phrase(*phrases: str) -> str:
    """Return a pattern that finds one of these phrases, as whole words.

    A phrase may be a pattern: `sku (?:for|of)`.
    """
    return rf"\b(?:{'|'.join(phrases)})\b"


_IN_SENTENCE: Final = r"(?:[^.?!\n]|\.\w)"
"""One character inside a sentence. A dot before a letter or digit, as in `a.txt`, does not end it."""


def in_one_sentence(first: str, second: str) -> str:
    """Return a pattern that finds `first` and, later in the same sentence, `second`.

    For the verb `approve` and the noun `refund`, it finds `Approve my refund`, but nothing in
    `I approve. What is a refund?`
    """
    return rf"{first}{_IN_SENTENCE}*{second}"


def on_one_line(first: str, second: str, *, max_chars_between: int) -> str:
    """Return a pattern that finds `first` and, soon after it on the same line, `second`.

    `second` may be in another sentence: `My card verification failed. Please retry.`
    """
    return rf"{first}[^\n]{{0,{max_chars_between}}}?{second}"


def then_ordered(noun: str, *verbs: str) -> str:
    """Return a pattern that finds a noun and, in the next sentence, an order with `it`.

    For the noun `checkout` and the verb `finish`: `My checkout is stuck. Please finish it.`
    """
    return rf"\b{noun}\b{_IN_SENTENCE}*[.;] ?(?:please )?(?:just )?(?:{'|'.join(verbs)}) it\b"


ORDER_START: Final = (
    r"(?:^|[.!?:;,=\n] ?|\b(?:please|kindly|now|just|then|you|to|and) )"
)
"""What comes before the verb of an order: the start of the text or of a sentence, or `please`."""
