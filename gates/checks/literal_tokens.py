"""Judges the literal parts of an answer: gate 8.

A script may declare `tokens`, strings that its answer must contain, such as an id or a
date. A request may fix the form of the answer by a placeholder, such as `<COUNT:%d>`,
which an OK answer has to fill in: `<COUNT:7>`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from controlplane.gates.checks.placeholders import fault_of_placeholder
from controlplane.gates.evidence import Evidence
from controlplane.gates.opinions import Inapplicable, Opinion
from controlplane.gates.plain_data import Plain
from controlplane.gates.quoting import describe, quote, quote_some
from controlplane.gates.submission import OK, Case, Submission
from controlplane.sandbox.interface import bounds

SHOWN_ALTERNATIVES: Final = 8
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
    if submission.outcome == OK:
        placeholder_fault = fault_of_placeholder(
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
        f"The answer holds {count} of the alternatives {quote_some(words, SHOWN_ALTERNATIVES)}: "
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
