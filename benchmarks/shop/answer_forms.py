"""Puts an answer's message into the form that a request or the shop's rules require.

"Is it open? Answer `<YES>` or `<NO>`." with the message "Yes, it is open." -> `<YES>`. Other
forms are a template (`<COUNT:%d>`), a date format and a bare value. A form never changes the
meaning of a message: its numbers, its ids, and whether it is a yes or a no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from controlplane.benchmarks.shop.requests.answer_templates import asked_template
from controlplane.benchmarks.shop.texts.text import normal_words
from controlplane.benchmarks.shop.texts.yes_no_words import (
    NO_WORDS,
    YES_WORDS,
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


# Whether a message has the form already ---------------------------------------------------------

_DATE_PART: Final = "(?:YYYY|MM|DD)"
_DATE_FORMAT: Final = re.compile(
    rf"\b{_DATE_PART}(?P<separator>[-/.]){_DATE_PART}(?P=separator){_DATE_PART}\b"
)
"""`DD-MM-YYYY`"""
_VALUES_ALONE: Final = re.compile(
    r"\b(?:only|just|alone|nothing (?:else|but)|no (?:sentence|other|extra|further)"
    r"|without a sentence)\b",
    re.IGNORECASE,
)
"""Words of a request which say that the answer must be values alone, without a sentence."""
_BARE_VALUE: Final = re.compile(r"[^\s.,:;?!](?:\S*[^\s.,:;?!])?")
"""One word without punctuation around it."""


def has_form(message: str, request: str) -> bool:
    """Return True if a message certainly has the form that the request requires.

    The form is a template (`<COUNT:%d>`), a date format, or bare values, one a line.
    """
    template = asked_template(request)  # such as `<COUNT:%d>`
    if template:
        return _fills_template(message, template)
    date_format = _DATE_FORMAT.search(request)
    if date_format:
        # `31-12-2027` has the form `DD-MM-YYYY`. With 0 for each digit, both are `00-00-0000`.
        shape_of_message = re.sub(r"\d", "0", message)
        shape_of_format = re.sub(r"[YMD]", "0", date_format[0])
        return shape_of_message == shape_of_format
    lines = message.splitlines()
    if not lines or not _VALUES_ALONE.search(request):
        return False
    return all(_BARE_VALUE.fullmatch(line) for line in lines)


def _fills_template(message: str, template: str) -> bool:
    """Return True if a message equals a template with a number in place of `%d`."""
    before, _, after = template.partition("%d")
    number = message.removeprefix(before).removesuffix(after)
    return number.isdigit() and message == f"{before}{number}{after}"


# The form that follows from the request ---------------------------------------------------------

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


# What a form must keep --------------------------------------------------------------------------

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
"""`12`, `1.200,50`"""
_ID: Final = re.compile(r"(?<![\w-])[A-Za-z]+[_-][\w-]*\d[\w-]*")
"""`basket_12`, `AB-1`"""


def keeps_meaning(message: str, proposal: str, words: Sequence[str]) -> bool:
    """Return True if a proposed form has the same meaning as a message.

    `words` are the words for yes and no in the rules, such as `<YES>` and `<NO>`, yes first.
    """
    # 1. The proposal is such a word. The message must not say the opposite.
    if proposal in words:
        proposal_says_yes = proposal == words[0]
        return not _are_opposite(polarity(message), proposal_says_yes)

    # 2. It must not have ids or numbers that the message lacks, and not lose all numbers.
    adds_ids = not _values_of(_ID, proposal) <= _values_of(_ID, message)
    numbers = _values_of(_NUMBER, message)
    proposed_numbers = _values_of(_NUMBER, proposal)
    adds_numbers = not proposed_numbers <= numbers
    loses_all_numbers = bool(numbers) and not proposed_numbers
    if adds_ids or adds_numbers or loses_all_numbers:
        return False

    # 3. It must not turn a yes into a no, or a no into a yes.
    return not _are_opposite(polarity(message), polarity(proposal))


def _values_of(pattern: re.Pattern[str], text: str) -> set[str]:
    """Return the ids or numbers in a text, in a form in which equal ones are equal.

    They have no capitals, no decimal commas and no leading zeros: `007,5` -> `7.5`. Ids
    begin with a letter, so they have no leading zeros.
    """
    values = set()
    for value in pattern.findall(text):
        values.add(value.casefold().replace(",", ".").lstrip("0") or "0")
    return values


_DENYING_WORDS: Final = NO_WORDS | {"not", "none", "cannot"}
"""Words with which a sentence says no: "No.", "It is not open."
"""


def polarity(message: str) -> bool | None:
    """Return True if a message says yes, False if it says no; None if it says neither or both."""
    words = set(normal_words(message).split())
    has_yes = not words.isdisjoint(YES_WORDS)
    has_no = not words.isdisjoint(_DENYING_WORDS)
    if has_yes and not has_no:
        return True
    if has_no and not has_yes:
        return False
    return None


def _are_opposite(first: bool | None, second: bool | None) -> bool:
    """Return True if one text is a yes and the other a no. None is neither."""
    return {first, second} == {True, False}


def says_no(message: str, rules: str) -> bool:
    """Return True if a whole message is a no: the rules' word for it, or a sentence that begins with it.

    Unlike `polarity`, a "not" inside the message does not count: "AB-1, but not in sand" is
    not a no.
    """
    words = possible_yes_no_words(rules)  # yes first
    if message.strip() in words:
        is_first = words.index(message.strip()) == 0
        return not is_first
    message_words = normal_words(message).split()
    return bool(message_words) and message_words[0] in ("no", "false")
