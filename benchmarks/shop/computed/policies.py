"""Reads conditions and figures from policy documents, in whatever words they stand.

A condition is a name marked as code that is known from the records: a state, a role, a field. A figure is a number with
its unit. Everything raises `DoesNotApply` where the document leaves a doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

from gates.reading import DoesNotApply
from toolkit.text import entries_of

T = TypeVar("T")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+(?=\S)")
_PART: Final = re.compile(r",\s+(?![^()]*\))")
"""Commas outside of brackets."""
_CODE: Final = re.compile(r"`([A-Za-z0-9][\w-]*)`")
_MARKED: Final = re.compile(r"`[^`]*`")
_RUN: Final = re.compile(r"`[a-z]\w*`(?:, `[a-z]\w*`)+(?:,? (?!as)[a-z]{2,3} `[a-z]\w*`)?")
"""Names with commas between them, before the last perhaps one short word such as "or"."""
_PERCENT: Final = re.compile(r"(?<![\w.,])(\d{1,3}) ?(?:%|per ?cent\b)", re.IGNORECASE)
_EUROS: Final = re.compile(r"(?:\bEUR|€) ?(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d\d))?(?![\d,.]*\d)")
_LESS: Final = re.compile(r"(?:\b(?:below|under|less than)|<) ?(?:EUR|€)", re.IGNORECASE)
_TWO: Final = 2


@dataclass(frozen=True, slots=True)
class Tiers:
    """The largest percentage by a basket's subtotal."""

    below: int
    above: int
    threshold_cents: int

    def most_for(self, subtotal_cents: int) -> int:
        """Return the percentage that applies."""
        return self.above if subtotal_cents >= self.threshold_cents else self.below


@dataclass(frozen=True)
class Policy:
    """A policy document."""

    path: str
    text: str

    @cached_property
    def clauses(self) -> list[str]:
        """Its paragraphs and list entries, with single spaces."""
        return entries_of(self.text)

    @cached_property
    def codes(self) -> frozenset[str]:
        """Every name that is marked as code."""
        return frozenset(_CODE.findall(self.text))

    def the_one(self, known: Collection[str], what: str) -> str:
        """Return the one of the known names that the document marks as code. Raises `DoesNotApply` otherwise."""
        return _only(self.codes.intersection(known), what)

    def beside(self, name: str, known: Collection[str], what: str) -> str:
        """Return the one of the known names in the clauses that name another. Raises `DoesNotApply` otherwise."""
        held = [set(_CODE.findall(each)) for each in self.clauses if f"`{name}`" in each]
        return _only(set[str]().union(*held).intersection(known), what)

    def choices(self) -> frozenset[str]:
        """Return the names of the one enumeration: names marked as code with nothing but commas between them."""
        runs = [frozenset(_CODE.findall(found[0])) for each in self.clauses for found in _RUN.finditer(each)]
        return _only(set(runs), "what there is to choose from")

    def around_call(self, tool: str) -> list[str]:
        """Return the entries that show how a tool is called, without what is marked as code."""
        return [_MARKED.sub(" ", each) for each in self.clauses if _command(tool).search(each) or f"`{tool} <" in each]

    def command(self, tool: str) -> str:
        """Return the first word of the one call of a tool: `redo` of "`/bin/payments redo <payment_id>`"."""
        calls: set[str] = set(_command(tool).findall(self.text))
        return _only(calls, f"the call of {tool}")


def _command(tool: str) -> re.Pattern[str]:
    return re.compile(rf"`{re.escape(tool)} ([\w-]+) <[^`]*`")


def sentences_of(clause: str) -> list[str]:
    """Return the sentences and half sentences of a clause."""
    return _SENTENCE.split(clause)


def tiers_in(policy: Policy) -> Tiers:
    """Return the two percentages of a policy, and the amount in euros that parts them.

    They stand in one clause, and whatever grows with the amount. Raises `DoesNotApply` for anything else.
    """
    return _only({found for each in policy.clauses if (found := _tiers(each))}, "the percentages of the policy")


def _tiers(clause: str) -> Tiers | None:
    percents = list(_PERCENT.finditer(clause))
    figures = sorted({int(each[1]) for each in percents})
    amounts = {100 * int(whole.replace(",", "")) + int(cents or 0) for whole, cents in _EUROS.findall(clause)}
    if len(percents) != _TWO or len(figures) != _TWO or len(amounts) != 1:
        return None
    largest = next(each for each in percents if int(each[1]) == figures[1])
    part = next(each for each in re.split(r"[,;:.](?!\d)|\band\b", clause) if largest[0] in each)
    if _LESS.search(part) and not _has(part, figures[0]):
        return None
    return Tiers(figures[0], figures[1], amounts.pop())


def _has(text: str, percent: int) -> bool:
    return any(int(each[1]) == percent for each in _PERCENT.finditer(text))


@dataclass(frozen=True, slots=True)
class Steps:
    """The two steps of a refund: the first is an employee's, the second the customer's."""

    verbs: tuple[str, str]
    """What the tool is told to do."""
    wanted: tuple[str, str]
    """The state of the return before each step."""
    paid: str
    """The state of the payment before both."""
    role: str
    """The role that the first step takes."""


def steps_in(policy: Policy, tool: str, roles: Iterable[str], payments: Iterable[str], returns: Iterable[str]) -> Steps:
    """Return the steps of a refund, read from the clauses of its two commands.

    The first is the one that takes a role. Each names the state that it needs and the one that it makes; what both name
    lies between them. `roles`, `payments` and `returns` are the roles of staff and the states that records hold.
    """
    parts = _parts(policy, tool)
    names = [set(_CODE.findall(part)) for _, part in parts]
    takes_role = [not held.isdisjoint(roles) for held in names]
    states = [held.intersection(returns) for held in names]
    paid = {state for held in names for state in held.intersection(payments) - set(returns)}
    if sorted(takes_role) != [False, True]:
        msg = "the steps of the refund policy: not certain"
        raise DoesNotApply(msg)
    first, second = takes_role.index(True), takes_role.index(False)
    between = states[first] & states[second]
    return Steps(
        verbs=(parts[first][0], parts[second][0]),
        wanted=(
            _only(states[first] - between, "the state before the first step"),
            _only(between, "the state between the steps"),
        ),
        paid=_only(paid, "the state of the payment"),
        role=_only(names[first].intersection(roles), "the role that the policy asks for"),
    )


def _parts(policy: Policy, tool: str) -> list[tuple[str, str]]:
    """Return what a tool is told to do with the words around each of its calls."""
    command = _command(tool)
    found: list[tuple[str, str]] = []
    for clause in policy.clauses:
        calls = command.findall(clause)
        whole = [clause] if len(calls) == 1 else [each for each in sentences_of(clause) if command.search(each)]
        found.extend((command.findall(each)[0], each) for each in whole)
    return found


def window_in(policy: Policy, retry_after: str, known: Collection[str]) -> str:
    """Return the state in which a challenge blocks until its instant: the name beside that of the instant's field.

    `known` are the names that stand for fields. Of a sentence with several names, the part between commas counts.
    """
    found: set[str] = set()
    for clause in policy.clauses:
        for sentence in sentences_of(clause):
            names = _states_beside(retry_after, sentence, known)
            parts = [_states_beside(retry_after, each, known) for each in _PART.split(sentence)]
            closer = set[str]().union(*parts)
            found |= closer if len(closer) == 1 else names
    return _only(found, "the state in which a challenge is open")


def _states_beside(field: str, text: str, known: Collection[str]) -> set[str]:
    names = _CODE.findall(text)
    return {each for each in names if each not in known and not each.isupper()} if field in names else set()


def _only(found: AbstractSet[T], what: str) -> T:
    if len(found) != 1:
        msg = f"{what}: not certain"
        raise DoesNotApply(msg)
    return next(iter(found))
