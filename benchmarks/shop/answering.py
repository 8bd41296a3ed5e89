"""Corrects and completes the answer that a model has drafted for a request to a shop.

The draft (`draft`) gets what functions have computed (`findings`). Its citations are completed,
checked and sorted (`final_references`): policies, and records without those that it is not about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from controlplane.benchmarks.shop.texts import (
    NO_WORDS,
    YES_WORDS,
    asked_template,
    normal_words,
    possible_yes_no_words,
)
from controlplane.sandbox.interface.outcomes import CLARIFICATION, OK

# Checks that a message has the same meaning in another form: its numbers, ids, and yes or no.
#
# A model puts answers into the form that a request asks for. It may put `No, basket_12 is closed.`
# into `<NO>`, but not into `<YES>`. A message with another meaning is not used.

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
"""`12`, `1.200,50`"""
_ID: Final = re.compile(r"(?<![\w-])[A-Za-z]+[_-][\w-]*\d[\w-]*")
"""`basket_12`, `AB-1`"""


def _keeps_meaning(message: str, proposal: str, yes_no_words: Sequence[str]) -> bool:
    """Return True if a proposed form has the same meaning as a message.

    | message | proposal | same meaning |
    |---|---|---|
    | `No, basket_12 is closed.` | `<NO>` | yes |
    | `No, basket_12 is closed.` | `<YES>` | no: the opposite |
    | `AB-1 has 12 units.` | `12` | yes |
    | `AB-1 has 12 units.` | `13`, or `AB-2: 12` | no: another number, or another id |
    | `AB-1 has 12 units.` | `AB-1` | no: it loses all numbers |

    `yes_no_words` are the words of the shop's rules, such as `<YES>` and `<NO>`, yes first.
    """
    # 1. The proposal is such a word.
    if proposal in yes_no_words:
        proposal_says_yes = proposal == yes_no_words[0]
        return not _are_opposite(_polarity(message), proposal_says_yes)

    # 2. It has other words. Ids and numbers must not be added, and not all numbers lost.
    adds_ids = not _values_of(_ID, proposal) <= _values_of(_ID, message)
    numbers = _values_of(_NUMBER, message)
    proposed_numbers = _values_of(_NUMBER, proposal)
    adds_numbers = not proposed_numbers <= numbers
    loses_all_numbers = bool(numbers) and not proposed_numbers
    if adds_ids or adds_numbers or loses_all_numbers:
        return False

    # 3. A yes must not become a no, or a no a yes.
    return not _are_opposite(_polarity(message), _polarity(proposal))


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


def _polarity(message: str) -> bool | None:
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
    if first is None or second is None:
        return False
    return first is not second


def says_no(message: str, rules: str) -> bool:
    """Return True if a whole message is a no: the rules' word for it, or a sentence that begins with it.

    Unlike `_polarity`, a "not" inside the message does not count: "AB-1, but not in sand" is
    not a no.
    """
    words = possible_yes_no_words(rules)  # yes first
    if message.strip() in words:
        is_first = words.index(message.strip()) == 0
        return not is_first
    message_words = normal_words(message).split()
    return bool(message_words) and message_words[0] in NO_WORDS


# Recognizes a message that has the form already which a request asks for.
#
# If a request says "answer with the date only, as DD-MM-YYYY", the message `31-12-2027` has it. No
# model then has to be asked to put the message into that form, which could change its meaning.

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


def _has_form(message: str, request: str) -> bool:
    """Return True if a message certainly has the form that the request requires.

    | request | a message of this form |
    |---|---|
    | "How many? Answer `<COUNT:%d>`." | `<COUNT:12>` |
    | "On which day? Answer as DD-MM-YYYY." | `31-12-2027` |
    | "Which products? Only their codes." | `AB-1` and `AB-2`, each on a line |
    """
    template = asked_template(request)
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


# Puts an answer's message into the form that a request or the shop's rules require.
#
# "Is it open? Answer `<YES>` or `<NO>`." with the message "Yes, it is open." -> `<YES>`. Other
# forms are a template (`<COUNT:%d>`), a date format and a bare value. A form never changes the
# meaning of a message: its numbers, its ids, and whether it is a yes or a no.

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
    if message.strip() in yes_no_words or _has_form(message.strip(), request):
        return message

    # 2. Code alone knows the form.
    form = answer_form(message, request, rules)
    if form is not None and _keeps_meaning(message, form, yes_no_words):
        return form

    # 3. A model may know it.
    try:
        form = without_outcome_name(ask_model()).strip()
    except (OSError, ValueError):
        return message
    if form and _keeps_meaning(message, form, yes_no_words):
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
    is_yes = _polarity(first_word)
    if is_yes is None:
        return None
    return yes_word if is_yes else no_word
