"""Finds what an answer's message must contain but does not.

A task's truth has words that must occur exactly like this, statements that may be worded in
several ways, and perhaps a percentage. "One of 1, 2, 3, 4 and 5" contains the right number
3, but does not give it: a message may not list many numbers in place of one. Nor may it list
all states in place of the right one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from controlplane.benchmarks.ecom.tasks.disclosure.spellings import contains_value
from controlplane.benchmarks.ecom.tasks.disclosure.word_edges import (
    NO_LETTER_AFTER,
    NO_LETTER_BEFORE,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth

MAX_SHOWN_WORDINGS: Final = 3
"""The most wordings of a missing statement that a fault lists."""
MAX_NUMBERS: Final = 4
"""The most different small numbers in a message that gives one of them as its answer.

`One of 1, 2, 3, 4 and 5` contains the right number but does not answer.
"""
PERCENTAGE: Final = re.compile(
    r"(?i)(?<![\w.,-])"  # not within `3.12 %` or `id-12 %`
    r"(\d+)"
    r"[\s-]{0,3}(?:%|per ?cent\b|pro[cz]ent\b)"
)
"""A percentage, such as `12 %` or `12 percent`. The group is its number."""
SMALL_NUMBER: Final = re.compile(
    r"(?<![\w.:-])"  # not at the end of `2027-03-01`, `10:12` or `basket-12`
    r"\d{1,2}"
    r"(?![\w:-]|[.,]\d)"  # not at the beginning of `12:30`, `12-03` or `12.50`
)
"""A number of one or two digits that is not part of a date, a time, an id or a larger number."""


def omissions(truth: Truth, message: str) -> Iterator[str]:
    """Yield a fault for everything that a message must contain but does not.

    If the truth requires `store-04`: `Answer should contain 'store-04'`.
    """
    different_numbers = set(SMALL_NUMBER.findall(message))
    lists_numbers = len(different_numbers) > MAX_NUMBERS
    for word in truth.required_words:
        # A message that lists many numbers, the right one among them, does not give it.
        is_only_listed = word.isdigit() and lists_numbers
        if is_only_listed or not _has_word(message, word):
            yield f"Answer should contain {word!r}"
    for wordings in truth.required_statements:
        if not any(contains_value(message, wording) for wording in wordings):
            yield _missing_statement(wordings)
    percent = truth.required_percent
    if percent and not _names_percentage(message, percent):
        yield f"answer does not name the percentage {percent}"
    state = truth.given_state
    if state is not None and _lists_states(message, state.possible):
        yield f"answer lists states in place of {state.actual!r}"


def _has_word(message: str, word: str) -> bool:
    """Return True if a message contains a word as a separate word."""
    end = NO_LETTER_AFTER
    if "-" in word:
        end = r"(?!-?[^\W_])"  # `VH-TNT-2P` is not in `VH-TNT-2P-FOOT`.
    return re.search(NO_LETTER_BEFORE + re.escape(word) + end, message) is not None


def _missing_statement(wordings: Sequence[str]) -> str:
    """Return the fault of a message that has none of the wordings of a required statement."""
    shown = dict.fromkeys(wordings[:MAX_SHOWN_WORDINGS])
    fault = f"Answer should contain one of {', '.join(map(repr, shown))}"
    if len(wordings) > MAX_SHOWN_WORDINGS:
        fault += ", or the like"
    return fault


def _names_percentage(message: str, percent: int) -> bool:
    """Return True if a message names a percentage.

    If the message has no number with a percent sign or word, bare numbers count.
    """
    texts = PERCENTAGE.findall(message)
    if not texts:
        texts = SMALL_NUMBER.findall(message)
    numbers = {int(text) for text in texts}
    return percent in numbers and len(numbers) <= MAX_NUMBERS


def _lists_states(message: str, possible_states: Sequence[str]) -> bool:
    """Return True if a message names so many of the possible states that it gives none of them.

    A message may compare two: `it is open, not paid`. So of three states, it may name
    two; of five, three.
    """
    named = [state for state in possible_states if contains_value(message, state)]
    most_states = len(possible_states) // 2 + 1
    return len(named) > most_states
