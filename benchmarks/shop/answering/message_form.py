"""Recognizes a message that has the form already which a request asks for.

If a request says "answer with the date only, as DD-MM-YYYY", the message `31-12-2027` has it. No
model then has to be asked to put the message into that form, which could change its meaning.
"""

from __future__ import annotations

import re
from typing import Final

from controlplane.benchmarks.shop.requests.answer_templates import asked_template

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
