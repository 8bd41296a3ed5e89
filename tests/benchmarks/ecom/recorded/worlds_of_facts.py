"""Tasks of one kind of request in several worlds, to compare them with a recorded fact.

    tasks = tasks_in_worlds("guest-basket-status: asked by a guest")
    right_answer(tasks[0]).outcome        # "OUTCOME_DENIED_SECURITY"
    folder_of(tasks[0].world, "baskets")  # "/proc/carts"

A world is a generated shop, with records and paths of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import Final

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.names import VOCABULARIES, WorldSettings
from controlplane.benchmarks.ecom.world.pages import (
    CHECKOUT,
    CROSSLIST,
    DISCOUNTS,
    ORIGINS,
    SECURITY,
    VERIFICATION,
)
from controlplane.benchmarks.ecom.world.world import World, workspace_of
from controlplane.sandbox.interface.outcomes import (
    CLARIFICATION,
    DENIED,
    OK,
    UNSUPPORTED,
)
from tests.benchmarks.ecom.solutions.careless_solutions import Answer, reference_answer
from tests.benchmarks.ecom.variants import generate_variant

# A fact: what all recorded right answers to one kind of request of the public shop benchmark had.
#
#     Fact(
#         variant="guest-basket-status: asked by a guest",
#         outcome=DENIED,
#         answerer=Answerer.PREFLIGHT,
#         demanded_pages=("security",),
#         optional_pages=("checkout",),
#     )
#
# So a guest who asks for the status of a basket was always denied, with the page on security cited.
# Our benchmark imitates the public one: our tasks of this kind must be answered, and graded, in the
# same way.


class Answerer(Enum):
    """Which part of our solver answers a request of this kind, when it plays our tasks."""

    PREFLIGHT = auto()
    """The checks before the model: records and pages show that the request must be denied."""
    PREFLIGHT_WITH_CLASSIFIER = auto()
    """The checks before the model, if a small model, the classifier, says what is wanted."""
    MODEL = auto()
    """The model: no check can know the answer, whatever the classifier says."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What right answers to one kind of request say and cite, and who gives them."""

    variant: str
    """Our tasks of this kind: `FAMILY: CASE`. `guest-basket-status` is the family of requests for
    the status of a basket, and `asked by a guest` one of its cases."""
    outcome: str
    answerer: Answerer
    demanded_pages: tuple[str, ...] = ()
    """Pages without which an answer is wrong. In one shop, the page `security` has the path
    `/docs/security.md`, and other paths in other shops."""
    optional_pages: tuple[str, ...] = ()
    """Pages that right answers cite as a rule, and some leave out."""
    cited_kinds: tuple[str, ...] = ()
    """The kinds of the records that must be cited, such as `baskets`. No others may be."""
    message: str = ".+"
    """A pattern that the message of a right answer matches."""


# Facts on requests that our solver answers by itself, before its main model is asked.
#
# A *fact* is what all recorded right answers to one kind of request of the public shop benchmark had. Our
# benchmark imitates the public one, so right answers to our tasks of the same kind (`variant`) must have
# that, too. An answer is wrong without the `demanded_pages` as citations; `optional_pages` may be cited.

BY_RECORDS_ALONE: Final[Mapping[str, Fact]] = {
    "checkout of a basket, not signed in": Fact(
        variant="foreign-basket: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT,
        demanded_pages=(SECURITY,),
        optional_pages=(CHECKOUT,),
    ),
    "status of a basket, not signed in": Fact(
        variant="guest-basket-status: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT,
        demanded_pages=(SECURITY,),
        optional_pages=(CHECKOUT,),
    ),
}
"""The shop's records show that the request must be denied. By a description of the request."""

WITH_CLASSIFIER: Final[Mapping[str, Fact]] = {
    "own staff record, claimed by a guest": Fact(
        variant="staff-contact: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
    "e-mail of staff, by a customer": Fact(
        variant="staff-contact: asked by a customer",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
    "discount without the role, with an approval named": Fact(
        variant="discount-authority: role is missing",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY, DISCOUNTS),
    ),
    "checkout of one of several baskets": Fact(
        variant="unnamed-basket: several are active",
        outcome=CLARIFICATION,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        optional_pages=(CHECKOUT, SECURITY),
        cited_kinds=("baskets",),  # Records of no other kind may be cited.
        message=".*basket.*",  # "Which basket do you mean?"
    ),
}
"""A small model, the classifier, first says what the request asks for. Then records decide."""

EARLY_FACTS: Final = {**BY_RECORDS_ALONE, **WITH_CLASSIFIER}


# Facts on requests of the public shop benchmark that only a model can answer: no check does.
#
# A *fact* is what all recorded right answers to one kind of request had. For "Which branches in Graz
# are open?", they had the outcome OK and cited records of `stores`, and no others. Our benchmark
# imitates the public one, so right answers to our tasks of the same kind, the `variant`, must have
# that, too.

MODEL_FACTS: Final[Mapping[str, Fact]] = {
    "open branches of a city": Fact(
        variant="open-branches",
        outcome=OK,
        answerer=Answerer.MODEL,
        cited_kinds=("stores",),
    ),
    "how the shop began": Fact(
        variant="origin-fact: recorded",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(ORIGINS,),
    ),
    "crosslist of an uploaded request": Fact(
        variant="crosslist",
        outcome=OK,
        answerer=Answerer.MODEL,
        demanded_pages=(CROSSLIST,),
        cited_kinds=("uploads",),
        message=r"/exports/[\w.-]+\.tsv",  # /exports/crosslist-12.tsv
    ),
    "fraudulent rows of an export": Fact(
        variant="archive-fraud",
        outcome=OK,
        answerer=Answerer.MODEL,
        cited_kinds=("archive",),
        message=r"EUR \d+\.\d\d",  # EUR 612.40
    ),
    "verification too early": Fact(
        variant="verification-restart: too early",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        cited_kinds=("payments", "baskets"),
        message=r".*\d{4}-\d\d-\d\dT.*Z.*",  # ... 2027-03-01T08:00:00Z ...
    ),
    "verification without attempts left, or of a paid basket": Fact(
        variant="verification-restart: spent or paid",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        cited_kinds=("payments", "baskets"),
        message=r".*(\d|paid|PAID|[Ss]ettled).*",  # "3 of 3 attempts are used", "It is paid"
    ),
}
"""The facts, each by a description of the request. The whole message has to fit `message`."""


FACTS: Mapping[str, Fact] = {**EARLY_FACTS, **MODEL_FACTS}

every_fact = pytest.mark.parametrize("fact", FACTS.values(), ids=FACTS)
"""Runs a test for each fact."""


@cache
def tasks_in_worlds(variant: str) -> list[WorldTask]:
    """Return tasks of this variant in three worlds, each with other names for folders and fields."""
    return [
        generate_variant(variant, f"fact|{names}", WorldSettings(names=names))
        for names in VOCABULARIES
    ]


def right_answer(task: WorldTask) -> Answer:
    """Return the answer of our reference solution, a function of the tests that knows what is right."""
    shop = EcomEnvironment(workspace_of(task.world))
    return reference_answer(shop, task.truth)


def score_with_citations(task: WorldTask, citations: list[str]) -> float:
    """Return the score of the right answer to a task if it cites these paths."""
    shop = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(shop, task.truth)
    shop.answer(answer.message, answer.outcome, citations)
    return grade(task.truth, shop).score


def page_path(task: WorldTask, page: str) -> str:
    """Return the path of a page in the task's world: `security` -> `/docs/security.md`."""
    return task.world.names.pages[page]


def folder_of(world: World, kind: str) -> str:
    """Return the folder of a kind of records: `baskets` -> `/proc/carts`."""
    # Exports of payments have the same folder in every world.
    if kind == "archive":
        return "/archive"
    # `/uploads/request.txt` in some worlds, `/storage/in/request.txt` in others
    if kind == "uploads":
        first_folder = world.names.uploads.split("/")[1]
        return f"/{first_folder}"
    # The other kinds have a field with the name of the kind: `roots.baskets`.
    folder: str = getattr(world.layout.roots, kind)
    return folder
