"""Puts an answer's message into the form that a request or the shop's rules require.

"Is it open? Answer `<YES>` or `<NO>`." with the message "Yes, it is open." -> `<YES>`. Other
forms are a template (`<COUNT:%d>`), a date format and a bare value. A form never changes the
meaning of a message: its numbers, its ids, and whether it is a yes or a no.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from controlplane.benchmarks.shop.answering.kept_meaning import keeps_meaning, polarity
from controlplane.benchmarks.shop.answering.message_form import has_form
from controlplane.benchmarks.shop.texts.yes_no_words import (
    possible_yes_no_words,
)
from controlplane.gates.submission import CLARIFICATION, OK

_OUTCOME_NAME: Final = re.compile(r"^\s*OUTCOME_[A-Z_]+\s*[:.\u2013\u2014-]*\s*")


def without_outcome_name(message: str) -> str:
    """Return a message without an outcome's name at its beginning: `OUTCOME_OK: Done` -> `Done`."""
    return _OUTCOME_NAME.sub("", message, count=1)


def formatted_message(
    outcome: str, message: str, rules: str, ask: Callable[[], str], request: str = ""
) -> str:
    """Return a message in its final form.

    `rules` is the shop's rules document. `ask` asks a model to put the message into the
    form. It is called only if code alone does not know the form. It may raise `OSError`
    or `ValueError`; then the message stays the same.
    """
    if outcome == CLARIFICATION:
        return without_outcome_name(message)
    if outcome != OK:  # a refusal
        return message

    # 1. The message has the form already.
    words = possible_yes_no_words(rules)  # such as `<YES>` and `<NO>`
    if message.strip() in words or has_form(message.strip(), request):
        return message

    # 2. The form follows from the request.
    form = answer_form(message, request, rules)
    if form != message and keeps_meaning(message, form, words):
        return form

    # 3. A model knows the form.
    try:
        proposal = without_outcome_name(ask()).strip()
    except (OSError, ValueError):
        return message
    if proposal and keeps_meaning(message, proposal, words):
        return proposal
    return message


_YES_NO_ASKED: Final = re.compile(
    r"\byes\s*(?:/|or)\s*no\b"
    r"|^(?:is|are|do|does|did|can|could|will|would|has|have|was|were)\b",
    re.IGNORECASE,
)
"""A question for a yes or no: `Is it open?`, `... yes or no`."""
_VALUE_ASKED: Final = re.compile(
    r"\b(?:exact )?value\b[^?!\n]*\bonly\b|\bonly the (?:exact )?value\b", re.IGNORECASE
)
"""`Give the exact value only`, `only the value`"""
_OPENING_QUOTE: Final = "[`\"“']?"
_CLOSING_QUOTE: Final = "[`\"”']?"
_STATED_VALUE: Final = re.compile(
    rf"\b(?:is|equals|reads|:)\s*{_OPENING_QUOTE}(?P<value>[^`\"”'\s]+?){_CLOSING_QUOTE}\s*\.?\s*$"
)
"""The value at the end of a sentence: "The status is `active`."
"""


def answer_form(message: str, request: str, rules: str) -> str:
    """Return a message in the form that a request and the rules require.

    The message is returned unchanged if the form is not certain.

    "The status is `active`." for "Give the exact value only." -> `active`
    """
    if _VALUE_ASKED.search(request):
        stated_value = _STATED_VALUE.search(message)
        return stated_value["value"] if stated_value else message

    words = possible_yes_no_words(rules)  # such as `<YES>` and `<NO>`
    are_words_certain = len(words) == 2
    asks_yes_or_no = _YES_NO_ASKED.search(request.strip()) is not None
    if not are_words_certain or not asks_yes_or_no or message in words:
        return message
    yes_word, no_word = words
    first_word = " ".join(message.split()[:1])
    is_yes = polarity(first_word)  # None if it is neither a yes nor a no.
    if is_yes is None:
        return message
    return yes_word if is_yes else no_word
