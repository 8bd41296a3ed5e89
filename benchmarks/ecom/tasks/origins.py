"""Tasks about the company's origins: when it opened, where its first branch was.

The page on origins records that the first branch opened on 1994-06-02. Another page tells
that "people at the harbour say that the doors opened on 1994-05-24". That is a rumour, and
wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Family
from controlplane.benchmarks.ecom.tasks.truth import (
    AnswerSecrets,
    TaskTruth,
    truth_with_exact_message,
)
from controlplane.benchmarks.ecom.world.pages import ORIGINS
from controlplane.benchmarks.ecom.world.world import World, sign_in_anyone
from controlplane.sandbox.interface.outcomes import UNSUPPORTED

_RUMOURS_BY_DATE: Final = {
    "opened_on": "opened_rumour",
    "registered_on": "registered_rumour",
    "named_on": "named_rumour",
}
"""The keys of the dates in `world.origin`, and the keys of the rumours that contradict them.

`world.origin` has facts and rumours about the company: `{"opened_on": "1994-06-02", ...}`.
"""


@dataclass(frozen=True, slots=True)
class _OriginFact:
    """A fact of the company's origins: a date, or a fact about its first branch.

    | name             | what is asked            | right value  | rumour                   |
    | ---------------- | ------------------------ | ------------ | ------------------------ |
    | `opened_on`      | a date                   | `1994-06-02` | another date             |
    | `first_postcode` | the first branch's place | `1012 AB`    | another branch's         |
    | `id`             | the first branch's id    | `store-04`   | another branch's         |
    """

    name: str
    """Its key in `world.origin` (except `id`), and in the wordings of requests: `origin-id`."""
    value: str
    rumour: str
    """The wrong value."""
    answer_form: str
    """How the request ends after "Answer": `as YYYY-MM-DD only`."""
    branch_record: str = ""
    """The path of the first branch's record; empty if the fact is a date."""


def _origin_fact(world: World, case: str) -> TaskTruth:
    """Ask for a fact about the company's origins.

    Right: give the fact in the page on origins, and cite the page. If no page
    records it, refuse the request as unsupported.

    Wrong: give a rumour from another page.

    Cases: `recorded`, `not recorded`.
    """
    sign_in_anyone(world, or_guest=True)
    is_about_date = world.rng.random() >= 0.5
    # Only a date can be missing: the page says "not recorded" in place of it.
    if case == "not recorded":
        is_about_date = True
    if is_about_date:
        # The page has the dates in a table.
        name = world.rng.choice(list(_RUMOURS_BY_DATE))
        rumour = world.origin[_RUMOURS_BY_DATE[name]]
        fact = _OriginFact(name, world.origin[name], rumour, "as YYYY-MM-DD only")
    else:
        fact = _fact_of_first_branch(world)
    question = world.wording(f"origin-{fact.name}")
    instruction = f"{question} Answer {fact.answer_form}."
    # Tests read the record for the id of a branch alone. All else is on the page.
    record_to_read = fact.branch_record if fact.name == "id" else ""
    for_tests = {"path": record_to_read, "rumour": fact.rumour}
    if case == "recorded":
        return truth_with_exact_message(
            instruction,
            fact.value,
            must_cite_pages=world.page_paths(ORIGINS),
            may_cite=(fact.branch_record,) if fact.branch_record else (),
            for_tests=for_tests,
        )

    # The page gets its dates from `world.origin`, so it will say `not recorded`. Other pages still
    # have the rumour, which the answer must not give.
    world.origin = {**world.origin, fact.name: world.wording("unrecorded")}
    return TaskTruth(
        instruction=instruction,
        message="No page records it.",
        outcome=UNSUPPORTED,
        secrets=AnswerSecrets(texts=(fact.rumour,)),
        must_cite_pages=world.page_paths(ORIGINS),
        for_tests=for_tests,
    )


def _fact_of_first_branch(world: World) -> _OriginFact:
    """Return the postcode, the city or the id of the first branch.

    The page names the branch and gives its address. According to a rumour, another
    branch was the first. A wrong answer has the id of that branch, or its postcode: the
    two branches may be in the same city.
    """
    name = world.rng.choice(["first_postcode", "first_city", "id"])
    stores_by_name = {store.name: store for store in world.stores.values()}
    first_branch = stores_by_name[world.origin["first_branch"]]
    other_branch = stores_by_name[world.origin["other_branch"]]
    if name == "id":
        value = first_branch.id
        rumour = other_branch.id
    else:
        value = world.origin[name]
        rumour = other_branch.postal_code
    branch_record = world.path(first_branch)
    return _OriginFact(name, value, rumour, "with the value only", branch_record)


FAMILIES: Final = (
    Family(
        "origin-fact",
        _origin_fact,
        task_count=4,
        about="a fact of the company's beginnings",
        pages="origins history expansion founders",
        cases={"recorded": 5, "not recorded": 2},
    ),
)
