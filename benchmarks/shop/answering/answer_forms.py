"""Puts an answer's message into the form that a request or the shop's rules require.

"Is it open? Answer `<YES>` or `<NO>`." with the message "Yes, it is open." -> `<YES>`. Other
forms are a template (`<COUNT:%d>`), a date format and a bare value. A form never changes the
meaning of a message: its numbers, its ids, and whether it is a yes or a no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
    outcome: str,
    message: str,
    rules: str,
    ask_model: Callable[[], str],
    request: str = "",
) -> str:
    """Return an answer's message in its final form: "Yes, it is open." -> `<YES>`.

    `rules` is the shop's rules document. `ask_model` returns the message as a model would write
    it. If it raises `OSError` or `ValueError`, the message is returned unchanged.
    """
    if outcome == CLARIFICATION:
        return without_outcome_name(message)
    is_refusal = outcome != OK
    if is_refusal:
        return message

    # 1. The message has its form already.
    yes_no_words = possible_yes_no_words(rules)  # such as `<YES>` and `<NO>`
    if message.strip() in yes_no_words or has_form(message.strip(), request):
        return message

    # 2. Code alone knows the form.
    form = answer_form(message, request, rules)
    if form is not None and keeps_meaning(message, form, yes_no_words):
        return form

    # 3. A model may know it.
    try:
        form = without_outcome_name(ask_model()).strip()
    except (OSError, ValueError):
        return message
    if form and keeps_meaning(message, form, yes_no_words):
        return form
    return message


def answer_form(message: str, request: str, rules: str) -> str | None:
    """Return a message in the form that the request asks for; None if that form is not certain.

    | request | message | form |
    |---|---|---|
    | "Give the exact value only." | "The status is `active`." | `active` |
    | "Is it open?" | "Yes, until 6." | `<YES>`, if this is the rules' word for yes |
    | "Which basket is open?" | "The basket basket_12." | None |
    """
    if _VALUE_ASKED.search(request):
        stated_value = _STATED_VALUE.search(message)
        return stated_value["value"] if stated_value else None
    if _YES_NO_ASKED.search(request.strip()):
        return _yes_or_no(message, possible_yes_no_words(rules))
    return None


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


_YES_NO_ASKED: Final = re.compile(
    r"\byes\s*(?:/|or)\s*no\b"
    r"|^(?:is|are|do|does|did|can|could|will|would|has|have|was|were)\b",
    re.IGNORECASE,
)
"""A question for a yes or no: `Is it open?`, `... yes or no`."""


def _yes_or_no(message: str, words: Sequence[str]) -> str | None:
    """Return the word for a message that begins with yes or no: `<YES>` or `<NO>`.

    `words` are the rules' words for yes and no, in this order. The result is None if they have
    more words or fewer, or if the message begins with anything else.
    """
    if len(words) != 2 or message in words:
        return None
    yes_word, no_word = words
    first_word = " ".join(message.split()[:1])
    is_yes = polarity(first_word)
    if is_yes is None:
        return None
    return yes_word if is_yes else no_word
