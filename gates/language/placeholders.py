"""Tells what kind of value an instruction wants by the placeholders in it, whatever words stand around them.

A placeholder says what the answer is, and not where it stands; what binds the answer's form is the contract alone.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from gates.language.answer_contract import derive_contract
from gates.language.sentences import own_words
from gates.language.text_normalization import normalize_text

MAX_CHARS: Final = 20_000
_NO_PATH: Final = r"(?<![\w/.%-])"
_NUMBER: Final = re.compile(r"(?<!\w)%0?\d{0,2}d(?![\w%])")
_AMOUNT: Final = re.compile(r"(?<!\w)%(?:0?\d{0,2})\.\df(?![\w%])|%d\.%0?2d(?![\w%])")
_DATE: Final = re.compile(
    rf"{_NO_PATH}(?:[DM]{{2}}[-./ ]){{2}}Y{{4}}(?!\w|\.\w)|{_NO_PATH}Y{{4}}(?:[-./ ][DM]{{2}}){{2}}(?!\w|\.\w)"
)


def wanted_kinds(instruction: str, rules: str) -> frozenset[str]:
    """Return the kinds of value that the answer contract demands; where it demands nothing, those of placeholders."""
    contract = derive_contract(instruction, rules)
    if contract.clauses:
        return frozenset(each.kind for each in contract.clauses) if contract.is_enforced else frozenset()
    return placeholder_kinds(instruction)


@lru_cache(maxsize=256)
def placeholder_kinds(instruction: str) -> frozenset[str]:
    """Return "number", "amount" or "date" for each kind of placeholder in an instruction: `%d`, `%.2f`, `DD-MM-YYYY`.

    Those in quoted prose, and in the names of files, count for nothing.
    """
    text = own_words(normalize_text(instruction[:MAX_CHARS]))
    found: set[str] = set()
    for kind, form in (("amount", _AMOUNT), ("number", _NUMBER), ("date", _DATE)):
        left = form.sub(" ", text)
        if left != text:
            found.add(kind)
        text = left
    return frozenset(found)
