"""Gate 8: the answer holds the tokens that it declares, and fills the placeholders of the
request in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import re2

from controlplane.gates.evidence import Evidence
from controlplane.gates.request_text import QUOTATION, own_words_of
from controlplane.gates.submission import (
    OK,
    Case,
    Inapplicable,
    Opinion,
    Plain,
    Submission,
    describe,
    encodable,
    quote,
    quote_some,
)
from controlplane.sandbox.interface import bounds

MOST_FORMS: Final = 20
"""Placeholders of one request that are looked at."""
DEFAULT_DECIMALS: Final = "6"
"""Decimals of `%f`, as in C and Python."""
SHOWN_ALTERNATIVES: Final = 8
_FORM: Final = re2.compile(
    r"([<\[][A-Za-z_ ]{1,30}[:=]\s?)%([0-9]{0,2})(?:\.([0-9]))?([dsf])([>\]])"
)
"""A placeholder in brackets, such as `<COUNT:%d>` or `[total = %.2f]`."""


def judge_literal_tokens(submission: Submission, evidence: Evidence, case: Case) -> Opinion:
    """Reject an answer that lacks its declared tokens, or an OK answer that leaves the request's
    placeholder unfilled.

    A token is a string; a list of strings declares alternatives, exactly one of which must be in
    the answer. A token counts if no letter or digit touches it and it lies outside every longer
    declared alternative.
    """
    faults = list(_faults_of_tokens(submission.tokens, submission.answer_text))
    if submission.outcome == OK:
        fault = _fault_of_form(case.instruction, submission.answer_text)
        if fault:
            faults.append(fault)
    if submission.tokens is None and not faults:
        return Inapplicable("no token is declared")
    return faults


def _faults_of_tokens(tokens: Plain, answer: str) -> Iterator[str]:
    if tokens is None:
        return
    declared = [tokens] if isinstance(tokens, str) else tokens
    if not isinstance(declared, list):
        yield f"`tokens` is {describe(tokens)}: make it a list of strings; a list inside it means alternatives."
        return
    count = sum(len(token) if isinstance(token, list) else 1 for token in declared)
    if count > bounds.MOST_TOKENS:
        yield f"`tokens` declares {count} strings: declare at most {bounds.MOST_TOKENS}, those that a reader must find."
        return
    for token in declared:
        alternatives = token if isinstance(token, list) else [token]
        words = [word for word in alternatives if isinstance(word, str) and word.strip()]
        if not words or len(words) < len(alternatives):
            yield f"`tokens` holds {describe(token)}: use strings, or lists of strings of which the answer holds one."
            continue
        present = words_present(words, answer)
        if len(present) == 1:
            continue
        if isinstance(token, str):
            yield (
                f"The declared token {quote(token)} is not in the answer as a word of its own: put it there exactly "
                "(words that exclude each other belong in a list inside the list)."
            )
        else:
            how_many = str(len(present)) if present else "none"
            shown = quote_some(words, SHOWN_ALTERNATIVES)
            yield (
                f"The answer holds {how_many} of the alternatives {shown}: use exactly one, as a word of its own."
            )


def words_present(words: Iterable[str], text: str) -> list[str]:
    """Return those of several words that are in a text where no letter or digit touches them,
    outside longer ones."""
    present: list[str] = []
    for word in sorted(dict.fromkeys(words), key=len, reverse=True):
        if _stands_alone(word, text):
            present.append(word)
            text = text.replace(word, "\n")
    return present


def _stands_alone(word: str, text: str) -> bool:
    """Say whether a text has a word that no letter or digit touches. The word may follow itself."""
    first, *parts = text.split(word)
    between = [part or word for part in parts[:-1]]
    for before, behind in pairwise([first, *between, *parts[-1:]]):
        if not before[-1:].isalnum() and not behind[:1].isalnum():
            return True
    return False


def _fault_of_form(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an
    empty string.

    `<N:%d>` takes an integer, `%02d` one of two digits or more, `%.2f` a number of two decimals,
    `%s` any text. Placeholders in quotations, quoted lines and fenced blocks do not count; one of
    several placeholders is enough.
    """
    first_form = ""
    forms: set[str] = set()
    for match in _FORM.finditer(QUOTATION.sub(" ", own_words_of(instruction))):
        if len(forms) >= MOST_FORMS:
            break
        form = str(match[0])
        first_form = first_form or form
        forms.add(form)
        if re2.search(_filled_pattern(*match.groups("")), encodable(answer)):
            return ""
    if not first_form:
        return ""
    return (
        f"The request fixes the form {quote(first_form)}, and the answer does not hold it: fill the placeholder "
        "in."
    )


def _filled_pattern(head: str, width: str, decimals: str, kind: str, end: str) -> str:
    """Return the pattern of a placeholder that is filled in."""
    match kind:
        case "s":
            value = r"\S(?:.*\S)?"
        case "f":
            value = rf"-?\d+\.\d{{{decimals or DEFAULT_DECIMALS}}}"
        case _:
            is_padded = width.startswith("0") and len(width) > 1
            least_digits = int(width) if is_padded else 1
            value = rf"-?\d{{{least_digits},}}"
    return f"{re2.escape(head)}{value}{re2.escape(end)}"
