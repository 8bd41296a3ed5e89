"""Tells that a request wants a yes or a no by the words of the workspace's own rule on such answers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from gates import Case
from gates.language import wanted_kinds
from toolkit.text import entries_of, yes_no_pair

_EITHER: Final = re.compile(r"\b(?=([^\W\d_]{2,20})(?:/| or )([^\W\d_]{2,20})\b)", re.IGNORECASE)
_MARKED: Final = re.compile(r"`[^`\n]+`")
_WORD: Final = re.compile(r"[^\W\d_]+")
_MAX_CHARS: Final = 20_000
_YES_NO: Final = "yes/no"


def wants_yes_or_no(case: Case) -> bool:
    """Say whether the answer's form is a yes or a no, or a request offers two words of the rule that lays both down."""
    if _YES_NO in wanted_kinds(case.instruction, case.rules):
        return True
    offered = {(one.lower(), other.lower()) for one, other in _EITHER.findall(case.instruction[:_MAX_CHARS])}
    return any(_are_in_order(pair, _words_of_rule(case.rules)) for pair in offered)


def _are_in_order(pair: tuple[str, str], words: tuple[str, ...]) -> bool:
    first, second = pair
    return first in words and second in words[words.index(first) + 1 :]


@lru_cache(maxsize=64)
def _words_of_rule(rules: str) -> tuple[str, ...]:
    """Return the plain words of the entry that marks the workspace's words for yes and no, or none."""
    pair = yes_no_pair(rules)
    if pair is None:
        return ()
    marks = {f"`{each}`" for each in pair}
    entry = next((each for each in entries_of(rules) if marks <= set(_MARKED.findall(each))), "")
    return tuple(each.lower() for each in _WORD.findall(_MARKED.sub(" ", entry)))
