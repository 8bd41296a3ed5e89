"""Gate 8: the answer holds its declared tokens and has the form that the instruction fixes."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from gates.language.answer_contract import derive_contract
from gates.types.evidence import Evidence
from gates.types.plain_data import Plain, describe, quote
from gates.types.submission import OK, Case, Submission
from gates.types.verdict import Verdict, not_applicable, verdict_of

GATE = 8
MAX_TOKENS: Final = 100
MAX_TOKEN_CHARS: Final = 20_000


def judge_literal_tokens(submission: Submission, evidence: Evidence, case: Case) -> Verdict:
    """Reject an answer without its declared tokens, or an OK answer that breaks the answer contract.

    Guards against right values in the wrong format: prose around a number, both words of a yes/no pair, another date
    format. A token is a string; a list of strings declares alternatives, of which the answer holds exactly one. A token
    counts if no letter or digit touches it and it lies outside every longer declared alternative. The contract binds OK
    answers alone: a refusal may be prose, whatever form was asked for. Lets pass every answer if no token is declared
    and no contract can be derived with certainty.
    """
    answer = submission.answer_text
    contract = derive_contract(case.instruction, case.rules) if submission.outcome == OK else None
    broken = contract.breach(answer) if contract is not None and contract.is_enforced else ""
    is_closed = contract is not None and contract.is_enforced and contract.fixes_whole_answer
    faults = _faults_of_tokens(submission.tokens, answer, is_closed=is_closed)
    if broken:
        faults.append(broken)
    if submission.tokens is None and (contract is None or not contract.is_enforced):
        return not_applicable(GATE, "no token is declared and no contract is derived")
    return verdict_of(GATE, faults)


def count_occurrences(token: str, text: str, longer: tuple[str, ...] = ()) -> int:
    """Count `token` in `text` where no letter or digit touches it, outside all occurrences of `longer`."""
    covered = [
        (place, place + len(each))
        for each in longer
        if len(each) > len(token) and token in each
        for place in _places(each, text)
    ]
    return sum(
        not any(start <= place and place + len(token) <= end for start, end in covered)
        for place in _places(token, text)
    )


def _places(token: str, text: str) -> list[int]:
    """Return the first 1,000 positions of `token` in `text` where no letter or digit touches it."""
    alone = re.compile(rf"(?<![^\W_])(?={re.escape(token)}(?![^\W_]))")
    return [found.start() for found in islice(alone.finditer(text), 1_000)]


def _faults_of_tokens(tokens: Plain, answer: str, *, is_closed: bool) -> list[str]:
    if tokens is None:
        return []
    if isinstance(tokens, str):
        tokens = [tokens]
    if not isinstance(tokens, list):
        return [f"`tokens` is {describe(tokens)}: make it a list of strings; a list inside it means alternatives."]
    declared = sum(len(token) if isinstance(token, list) else 1 for token in tokens)
    if declared > MAX_TOKENS:
        return [f"`tokens` declares {declared} strings: declare at most {MAX_TOKENS}, those that a reader must find."]
    longest = max((len(word) for token in tokens for word in _strings_of(token)), default=0)
    if longest > MAX_TOKEN_CHARS:
        return [
            f"`tokens` declares a string of {longest} characters: declare at most {MAX_TOKEN_CHARS}, its telling part."
        ]
    return [fault for token in tokens if (fault := _fault_of_token(token, answer, is_closed=is_closed))]


def _strings_of(token: Plain) -> list[str]:
    return [each for each in (token if isinstance(token, list) else [token]) if isinstance(each, str)]


def _fault_of_token(token: Plain, answer: str, *, is_closed: bool) -> str:
    """Return the fault of one declared token or list of alternatives, or an empty string."""
    if isinstance(token, str):
        if not token.strip():
            return "`tokens` holds an empty string: remove it."
        if count_occurrences(token, answer):
            return ""
        if is_closed:
            return (
                f"The declared token {quote(token)} is not in the answer, whose form is fixed as a whole: give the "
                "answer in that form, and in `tokens` what stands in it."
            )
        return (
            f"The declared token {quote(token)} is not in the answer as a word of its own: put it there exactly (words "
            "that exclude each other belong in a list inside the list)."
        )
    if not isinstance(token, list) or not token or not all(isinstance(each, str) and each.strip() for each in token):
        return f"`tokens` holds {describe(token)}: each is a string, or a list of strings of which one must stand."
    words = tuple(dict.fromkeys(_strings_of(token)))
    present = [each for each in words if count_occurrences(each, answer, words)]
    if len(present) == 1:
        return ""
    shown = ", ".join(quote(each) for each in words[:8])
    if not present and is_closed:
        return (
            f"None of the alternatives {shown} is in the answer, whose form is fixed as a whole: give the answer in "
            "that form, and in `tokens` the words that it has to choose from."
        )
    if not present:
        return f"None of the alternatives {shown} is in the answer: use exactly one of them, as a word of its own."
    return f"The answer holds {len(present)} of the alternatives {shown}: use exactly one of them."
