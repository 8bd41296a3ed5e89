"""Tasks about the company's origins: when it opened, where its first branch was.

One document records the facts. Other documents contradict them with rumours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.ecom.tasks.answer_secrets import Secrets
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.pages import ORIGINS
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import UNSUPPORTED

RUMOURS_BY_DATE: Final = {
    "opened_on": "rumour",
    "registered_on": "registered_rumour",
    "named_on": "named_rumour",
}
"""The dates of the company's origins, with the rumour that contradicts each."""


@dataclass(frozen=True, slots=True)
class OriginFact:
    """A fact of the company's origins."""

    name: str
    """Its name in the world's data: `opened_on`, `first_city`."""
    value: str
    rumour: str
    """The wrong value: another date, or a value of another branch."""
    answer_form: str
    """The end of the order to answer: `as YYYY-MM-DD only`."""
    record: str = ""
    """The path of the record of the first branch, if the fact is about this branch."""


def origin_fact(world: World, case: str) -> Truth:
    """Ask for a fact about the company's origins.

    Right: give the fact in the document on origins, and cite the document. If no page
    records it, refuse the request as unsupported.

    Wrong: give a rumour from another document.
    """
    sign_in_anyone(world, or_guest=True)
    # The document can only say of a date that it is not recorded.
    is_about_date = world.rng.random() >= 0.5 or case == "not recorded"
    fact = _some_date(world) if is_about_date else _fact_of_first_branch(world)
    question = world.wording(f"origin-{fact.name}")
    instruction = f"{question} Answer {fact.answer_form}."
    # The record has the id, the document on origins everything else.
    for_tests = {
        "path": fact.record if fact.name == "id" else "",
        "rumour": fact.rumour,
    }

    if case == "recorded":
        return truth_with_exact_message(
            instruction,
            fact.value,
            must_cite_pages=world.documents(ORIGINS),
            may_cite=(fact.record,) if fact.record else (),
            for_tests=for_tests,
        )

    # The document says that this date is not recorded. Other documents still give the rumour.
    world.origin = {**world.origin, fact.name: world.wording("unrecorded")}
    return Truth(
        instruction=instruction,
        message="No page records it.",
        outcome=UNSUPPORTED,
        secrets=Secrets(texts=(fact.rumour,)),
        must_cite_pages=world.documents(ORIGINS),
        for_tests=for_tests,
    )


def _some_date(world: World) -> OriginFact:
    """Return a random date of the origins, which the document has in a table."""
    name = world.rng.choice(list(RUMOURS_BY_DATE))
    rumour = world.origin[RUMOURS_BY_DATE[name]]
    return OriginFact(name, world.origin[name], rumour, "as YYYY-MM-DD only")


def _fact_of_first_branch(world: World) -> OriginFact:
    """Return the postcode, the city or the id of the first branch.

    The document has postcode and city in an address line, and names the branch. According
    to the rumour, another branch was the first. Its postcode tells which one.
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
    record = world.path(first_branch)
    return OriginFact(name, value, rumour, "with the value only", record)
