"""What the records of branches and staff make of a question."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.questions.set_members import member_of
from benchmarks.shop.computed.questions.stated_answers import no_question, states_number
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from benchmarks.shop.computed.subjects import branch_named
from benchmarks.shop.language.record_kinds import Kind
from benchmarks.shop.language.shop_evidence import OK
from gates.claims import names_set
from gates.reading import DoesNotApply

_ROLE: Final = re.compile(r"`([^`\n]{1,60})`")
FURTHER_CONDITION: Final = re.compile(
    r"\b(?:not|no|or|both|except|exclud\w*|between|at least|more than|over|above|stock|available|without|but)\b",
    re.IGNORECASE,
)
"""Words of a condition that is not computed."""
_EVERYWHERE: Final = re.compile(r"\b(?:all|across|every|total|altogether)\b", re.IGNORECASE)
_OTHERWISE: Final = re.compile(r"\b(?:not|closed|tomorrow|yesterday|how many)\b", re.IGNORECASE)


def staff_count_asked(text: str, shop: ShopWorkspace) -> Expectation:
    """Return what is expected of a count of the staff with a role."""
    quoted = _ROLE.findall(text)
    if len(quoted) != 1 or not re.fullmatch(r"\w+", quoted[0]) or FURTHER_CONDITION.search(text):
        msg = "the role is not certain"
        raise DoesNotApply(msg)
    people = [path for path, _ in shop.lines(Kind.EMPLOYEE, f'^    "{quoted[0]}",?$')]
    cited = set(people)
    try:
        store = branch_named(text, shop.stores)
    except DoesNotApply:
        if not _EVERYWHERE.search(text):
            raise
        store = None
    if store is not None:
        there = shop.paths_naming(Kind.EMPLOYEE, [store.data["id"]])[store.data["id"]]
        cited &= set(there)
        number = len(cited)
        cited.add(store.path)
    else:
        number = len(cited)
    return Expectation("The roles in the staff records", OK, cited=frozenset(cited), states=states_number(number))


def open_branches_asked(text: str, shop: ShopWorkspace, *, are_lines: bool) -> Expectation:
    """Return what is expected of a question for the branches of a city that are open; in prose or on lines alone."""
    if _OTHERWISE.search(text):
        return no_question()
    stores = shop.stores
    city = branch_named(text, stores).data["city"]
    there = [each for each in stores if each.data["city"] == city]
    is_open = [each for each in there if each.data["is_open"]]
    names = sorted(str(each.data["name"]) for each in is_open)
    members = [member_of(each, there) for each in is_open]
    others = [member_of(each, there) for each in there if not each.data["is_open"]]
    return Expectation(
        "The records of the branches in that city",
        OK,
        cited=frozenset(each.path for each in there),
        states=lambda answer: (
            sorted(filter(None, map(str.strip, answer.split("\n")))) == names
            or (not are_lines and names_set(answer, members, others))
        ),
    )
