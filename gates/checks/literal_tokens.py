"""Judges the literal parts of an answer: gate 8.

A script may declare `tokens`, strings that its answer must contain, such as an id or a
date. A request may fix the form of the answer by a placeholder, such as `<COUNT:%d>`,
which an OK answer has to fill in: `<COUNT:7>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import re2

from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.quoting import Plain, describe, quote, quote_some
from controlplane.gates.request_text import QUOTATION, own_words_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.text_folding import encodable
from controlplane.sandbox.interface import bounds

# Finds out if an answer fills in the placeholder of its request.
#
# Answer in the form <COUNT:%d>.      the request, with a placeholder as in C or Python
# <COUNT:7>                           an answer that fills it in

_MOST_PLACEHOLDERS: Final = 20
"""The most placeholders of one request that are examined."""
_DEFAULT_DECIMALS: Final = "6"
"""Decimals of `%f`, as in C and Python."""
_PLACEHOLDER: Final = re2.compile(
    r"(?P<opening>[<\[][A-Za-z_ ]{1,30}[:=]\s?)"
    r"%(?P<width>[0-9]{0,2})(?:\.(?P<decimals>[0-9]))?(?P<type>[dsf])"
    r"(?P<closing>[>\]])"
)
"""A placeholder in brackets, such as `<COUNT:%d>` or `[total = %.2f]`."""


def _fault_of_placeholder(instruction: str, answer: str) -> str:
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
    """Return the different placeholders of a request, at most `_MOST_PLACEHOLDERS`."""
    # `own_words_of` leaves out quoted mails, blocks of code and quoted prose.
    request = QUOTATION.sub(" ", own_words_of(instruction))
    placeholders: dict[str, re2._Match] = {}
    for match in _PLACEHOLDER.finditer(request):
        if len(placeholders) >= _MOST_PLACEHOLDERS:
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
            decimals = placeholder["decimals"] or _DEFAULT_DECIMALS
            value = r"-?\d+\.\d{DECIMALS}".replace("DECIMALS", decimals)
        case _:
            width = placeholder["width"]
            is_padded = width.startswith("0") and len(width) > 1
            least_digits = str(int(width)) if is_padded else "1"
            value = r"-?\d{LEAST,}".replace("LEAST", least_digits)
    opening = re2.escape(placeholder["opening"])
    closing = re2.escape(placeholder["closing"])
    return f"{opening}{value}{closing}"


_SHOWN_ALTERNATIVES: Final = 8
"""A message shows at most this many alternatives of a token."""


def judge_literal_tokens(
    submission: Submission, evidence: Evidence, case: Case
) -> Opinion:
    """Reject an answer without its declared tokens, or with an unfilled placeholder.

    A token is a string that the answer must contain as a word of its own: `red` is not in
    `redo`. A list of strings declares alternatives, exactly one of which must be in the
    answer. Where `dark red` stands, only this longer one counts, and not `red`.
    """
    faults = list(_faults_of_tokens(submission.tokens, submission.answer_text))
    if case.is_done(submission):
        placeholder_fault = _fault_of_placeholder(
            case.instruction, submission.answer_text
        )
        if placeholder_fault:
            faults.append(placeholder_fault)
    if submission.tokens is None and not faults:
        return Inapplicable("no token is declared")
    return faults


def _faults_of_tokens(tokens: Plain, answer: str) -> Iterator[str]:
    """Yield the faults of `tokens`: wrong declarations, and tokens that the answer lacks.

    A script may declare `["l-17", ["red", "blue"]]`: the answer must contain `l-17`, and exactly
    one of the two colours. `"l-17"` means the same as `["l-17"]`, and None declares nothing.
    """
    if tokens is None:
        return
    declared = [tokens] if isinstance(tokens, str) else tokens
    if not isinstance(declared, list):
        yield (
            f"`tokens` is {describe(tokens)}: make it a list of strings; a list inside it means "
            "alternatives."
        )
        return
    string_count = 0
    for token in declared:
        if isinstance(token, list):  # alternatives, of which the answer must hold one
            string_count += len(token)
        else:
            string_count += 1
    if string_count > bounds.MOST_TOKENS:
        yield (
            f"`tokens` declares {string_count} strings: declare at most {bounds.MOST_TOKENS}, those that "
            "a reader must find."
        )
        return
    for token in declared:
        fault = _fault_of_token(token, answer)
        if fault:
            yield fault


def _fault_of_token(token: Plain, answer: str) -> str:
    """Return the fault of an entry of `tokens`, or an empty string.

    The answer must contain `"red"`, and exactly one word of `["red", "blue"]`.
    """
    alternatives = token if isinstance(token, list) else [token]
    words = [word for word in alternatives if isinstance(word, str) and word.strip()]
    if not words or len(words) < len(alternatives):
        return (
            f"`tokens` holds {describe(token)}: use strings, or lists of strings of which the "
            "answer holds one."
        )
    present = words_present(words, answer)
    if len(present) == 1:
        return ""
    if isinstance(token, str):
        return (
            f"The declared token {quote(token)} is not in the answer as a word of its own: put it "
            "there exactly (words that exclude each other belong in a list inside the list)."
        )
    count = str(len(present)) if present else "none"
    return (
        f"The answer holds {count} of the alternatives {quote_some(words, _SHOWN_ALTERNATIVES)}: "
        "use exactly one, as a word of its own."
    )


def words_present(words: Iterable[str], text: str) -> list[str]:
    """Return the words that a text contains as separate words: no letter or digit touches them.

    A word does not count inside a longer one: of `red` and `dark red`, the text `a dark red
    car` contains only `dark red`.
    """
    present: list[str] = []
    longest_first = sorted(dict.fromkeys(words), key=len, reverse=True)
    remaining_text = text
    for word in longest_first:
        if _stands_alone(word, remaining_text):
            present.append(word)
            # Take it out, so that the `red` in `dark red` is not found again.
            remaining_text = remaining_text.replace(word, "\n")
    return present


def _stands_alone(word: str, text: str) -> bool:
    """Return True if a text contains a word at a place where no letter or digit touches it."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        before = text[start - 1 : start]
        behind = text[end : end + 1]
        if not before.isalnum() and not behind.isalnum():
            return True
        start = text.find(word, end)
    return False
