"""The answer contract: the form that an instruction and the workspace's rules fix for an OK answer.

Derived by patterns, without a model. What is not certain is left out: a missed contract costs nothing, a wrong one
holds up a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gates.plain import show

MAX_CHARS: Final = 50_000
"""Characters of instruction and rules that are looked at."""


@dataclass(frozen=True, slots=True)
class Clause:
    """One demand of the contract."""

    kind: str
    demand: str
    """What the answer must be, to follow "the answer must be"."""
    words: str
    """The words that it was derived from."""
    holds: Callable[[str], bool]
    fixes_whole_answer: bool


@dataclass(frozen=True, slots=True)
class Contract:
    """Every demand that could be derived with certainty, and those that contradict each other."""

    clauses: tuple[Clause, ...]
    conflict: str = ""
    """Why nothing is enforced although clauses were found."""

    @property
    def is_enforced(self) -> bool:
        """Say whether there is anything to enforce."""
        return bool(self.clauses) and not self.conflict

    @property
    def fixes_whole_answer(self) -> bool:
        """Say whether the contract leaves no room for further words."""
        return any(clause.fixes_whole_answer for clause in self.clauses)

    def breach(self, answer: str) -> str:
        """Return the fix-it text of the first demand that `answer` breaks; empty for none."""
        for clause in self.clauses:
            if not clause.holds(answer):
                return (
                    f"The answer {show(answer)} is not {clause.demand}, as {show(clause.words)} demands: submit that "
                    "alone, or another outcome if it cannot be given."
                )
        return ""


_TEMPLATE: Final = re.compile(r"[^\s\"'`]*%(?:0?\d)?d[^\s\"'`]*")


@lru_cache(maxsize=256)
def derive_contract(instruction: str, rules: str) -> Contract:
    """Return the contract that `instruction` and the workspace's `rules` fix for an answer whose outcome is OK."""
    return Contract(tuple(_templates(instruction[:MAX_CHARS])))


def _templates(text: str) -> list[Clause]:
    """Return a clause for every quoted or bracketed template with printf places for integers."""
    clauses: list[Clause] = []
    for found in re.finditer(r"[\"'`]([^\"'`\n]*%(?:0?\d)?d[^\"'`\n]*)[\"'`]|([<\[][A-Za-z_ ]+:\s?%d[>\]])", text):
        template = found[1] or found[2]
        parts = re.split(r"%(?:0?(\d))?d", template)
        literals, widths = parts[0::2], parts[1::2]
        pattern = re.escape(literals[0])
        for width, literal in zip(widths, literals[1:], strict=True):
            pattern += (rf"\d{{{width}}}" if width else r"-?\d+") + re.escape(literal)
        form = re.compile(pattern)
        clauses.append(Clause("template", f"in the form {show(template)}", found[0], _fits(form), True))
    return clauses


def _fits(form: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda answer: form.fullmatch(answer.strip()) is not None
