"""Finds out if an answer fills in the placeholder of its request.

Answer in the form <COUNT:%d>.      the request, with a placeholder as in C or Python
<COUNT:7>                           an answer that fills it in
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.gates.quoting import quote
from controlplane.gates.request_text import QUOTATION, own_words_of
from controlplane.gates.surrogates import encodable

MOST_PLACEHOLDERS: Final = 20
"""The most placeholders of one request that are examined."""
DEFAULT_DECIMALS: Final = "6"
"""Decimals of `%f`, as in C and Python."""
_PLACEHOLDER: Final = re2.compile(
    r"(?P<opening>[<\[][A-Za-z_ ]{1,30}[:=]\s?)"
    r"%(?P<width>[0-9]{0,2})(?:\.(?P<decimals>[0-9]))?(?P<type>[dsf])"
    r"(?P<closing>[>\]])"
)
"""A placeholder in brackets, such as `<COUNT:%d>` or `[total = %.2f]`."""


def fault_of_placeholder(instruction: str, answer: str) -> str:
    """Return the fault of an answer that leaves the request's placeholder unfilled, or "".

    If the request has several, the answer must fill in one of them. Placeholders in quoted
    text do not count: the request only reports them.
    """
    placeholders = _placeholders_in(instruction)
    if not placeholders:
        return ""
    encodable_answer = encodable(answer)
    for placeholder in placeholders:
        if re2.search(_filled_pattern(placeholder), encodable_answer):
            return ""
    first = placeholders[0][0]
    code = f'"{first}" % value'
    return (
        f"The request fixes the form {quote(first)}, and the answer does not hold it: "
        f"fill the placeholder in, as {quote(code)} does in Python."
    )


def _placeholders_in(instruction: str) -> list[re2._Match]:
    """Return the different placeholders of a request, at most `MOST_PLACEHOLDERS`."""
    # `own_words_of` leaves out quoted mails, blocks of code and quoted prose.
    request = QUOTATION.sub(" ", own_words_of(instruction))
    placeholders: dict[str, re2._Match] = {}
    for match in _PLACEHOLDER.finditer(request):
        if len(placeholders) >= MOST_PLACEHOLDERS:
            break
        placeholders.setdefault(match[0], match)
    return list(placeholders.values())


def _filled_pattern(placeholder: re2._Match) -> str:
    """Return a pattern of the texts that may replace a placeholder.

    `%s` takes any text, `%d` an integer, `%02d` one of two digits or more, and `%.2f` a
    number with two decimals. `placeholder` is a match of `_PLACEHOLDER`: for `<COUNT:%d>`,
    its `opening` is `<COUNT:`, and its `closing` is `>`.
    """
    # The patterns have braces, as in `\d{2}`, so `replace` is plainer than an f-string.
    match placeholder["type"]:
        case "s":
            value = r"\S(?:.*\S)?"
        case "f":
            decimals = placeholder["decimals"] or DEFAULT_DECIMALS
            value = r"-?\d+\.\d{DECIMALS}".replace("DECIMALS", decimals)
        case _:
            width = placeholder["width"]
            is_padded = width.startswith("0") and len(width) > 1
            least_digits = str(int(width)) if is_padded else "1"
            value = r"-?\d{LEAST,}".replace("LEAST", least_digits)
    opening = re2.escape(placeholder["opening"])
    closing = re2.escape(placeholder["closing"])
    return f"{opening}{value}{closing}"
