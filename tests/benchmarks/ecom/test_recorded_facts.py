"""Facts about right answers that recorded trials of the public shop benchmark show.

For example: a guest who asks for the status of a basket must be denied, and the answer must
cite the page on security. Our benchmark imitates the public one, so our reference solutions
must give such answers, and our grader must demand them. Some of these requests are answered
before any model reads them, by the part of the solver that is called preflight.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.pages import (
    CHECKOUT,
    CROSSLIST,
    DISCOUNTS,
    ORIGINS,
    SECURITY,
    VERIFICATION,
)
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.reference_solutions import (
    family_of_variant,
    generate_variant,
    reference_answer,
)
from tests.support.shop_players import PlayedTrial, play_shop_trial

WORLD_COUNT = 6
"""In how many worlds each fact is tested."""


class Answerer(Enum):
    """Who answers a request: the preflight, a part of the solver, or the model after it.

    The preflight denies a request, or asks which record is meant, if records and pages show that
    nothing else is right. A classifier, which is a small model, may tell it what is wanted.
    """

    PREFLIGHT = auto()
    PREFLIGHT_WITH_CLASSIFIER = auto()
    """The preflight, if the classifier says what is wanted."""
    MODEL = auto()
    """Only a model can tell the request from others, whatever its wording."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What right answers to a kind of request say and cite, and who gives them in a run."""

    variant: str
    """Our tasks of this kind: a family and a case of it, `staff-contact: asked by a guest`."""
    outcome: str
    answerer: Answerer
    demanded_pages: tuple[str, ...] = ()
    """Pages without which an answer is wrong."""
    optional_pages: tuple[str, ...] = ()
    """Pages that right answers cite as a rule, and some leave out."""
    records: tuple[str, ...] = ()
    """The kinds of the records that must be cited, such as `baskets`. No others may be."""
    message: str = ".+"
    """A pattern that the message of a right answer matches."""


FACTS = {
    # What recorded right answers say and cite, by a description of the request
    "own staff record, claimed by a guest": Fact(
        variant="staff-contact: asked by a guest",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
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
        records=("baskets",),
        message=".*basket.*",
    ),
    "e-mail of staff, by a customer": Fact(
        variant="staff-contact: asked by a customer",
        outcome=DENIED,
        answerer=Answerer.PREFLIGHT_WITH_CLASSIFIER,
        demanded_pages=(SECURITY,),
    ),
    "open branches of a city": Fact(
        variant="open-branches",
        outcome=OK,
        answerer=Answerer.MODEL,
        records=("stores",),
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
        records=("uploads",),
        message=r"/exports/[\w.-]+\.tsv",  # /exports/crosslist-12.tsv
    ),
    "fraudulent rows of an export": Fact(
        variant="archive-fraud",
        outcome=OK,
        answerer=Answerer.MODEL,
        records=("archive",),
        message=r"EUR \d+\.\d\d",  # EUR 612.40
    ),
    "verification too early": Fact(
        variant="verification-restart: too early",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*\d{4}-\d\d-\d\dT.*Z.*",  # ... 2027-03-01T08:00:00Z ...
    ),
    "verification with attempts used up or paid": Fact(
        variant="verification-restart: spent or paid",
        outcome=UNSUPPORTED,
        answerer=Answerer.MODEL,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*(\d|paid|PAID|[Ss]ettled).*",
    ),
}


def folder_of_kind(world: World, kind: str) -> str:
    """Return the folder of a kind of records: `/archive`, or `/proc/carts` for `baskets`."""
    if kind == "archive":
        return "/archive"
    if kind == "uploads":
        first_folder = world.names.uploads.split("/")[1]
        return f"/{first_folder}"
    folder: str = getattr(world.layout.roots, kind)
    return folder


def tasks_of(fact: Fact) -> list[Task]:
    """Return tasks of the fact's kind in several worlds."""
    seeds = range(WORLD_COUNT)
    return [generate_variant(fact.variant, f"fact|{seed}") for seed in seeds]


@pytest.mark.parametrize("name", FACTS)
def test_our_reference_answers_as_recorded_right_answers_do(name: str) -> None:
    """The reference solution's outcome, message and kinds of citations are those of the fact."""
    fact = FACTS[name]
    for task in tasks_of(fact):
        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, task.truth)

        assert answer.outcome == fact.outcome
        assert re.fullmatch(fact.message, answer.message, re.DOTALL), answer.message

        page_paths = task.world.names.pages
        cited_pages = {path for path in answer.refs if path in page_paths.values()}
        assert cited_pages == {page_paths[page] for page in fact.demanded_pages}

        # A record of each kind is cited, and none of any other kind.
        folders = [folder_of_kind(task.world, kind) for kind in fact.records]
        cited_records = [path for path in answer.refs if path not in cited_pages]
        for folder in folders:
            assert any(path.startswith(folder) for path in cited_records), cited_records
        for path in cited_records:
            assert path.startswith(tuple(folders)), cited_records


def reference_score(
    task: Task,
    *,
    without_citations_below: str | None = None,
    with_citation: str | None = None,
) -> float:
    """Return the score of the right answer to a task, perhaps with a citation more or less.

    - `reference_score(task)` is 1.0
    - `without_citations_below="/proc/carts"` leaves out all baskets that the answer cites
    - `with_citation="/docs/security.md"` cites this page, too
    """
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)
    citations = list(answer.refs)
    if without_citations_below is not None:
        citations = [
            path for path in citations if not path.startswith(without_citations_below)
        ]
    if with_citation is not None:
        citations.append(with_citation)
    environment.answer(answer.message, answer.outcome, citations)
    return grade(task.truth, environment).score


@pytest.mark.parametrize("name", FACTS)
def test_our_grader_demands_what_recorded_right_answers_cite(name: str) -> None:
    """A missing page or record costs the whole score, and so does an unrelated page."""
    fact = FACTS[name]
    for task in tasks_of(fact):
        page_paths = task.world.names.pages

        assert reference_score(task) == 1.0
        for page in fact.demanded_pages:
            assert (
                reference_score(task, without_citations_below=page_paths[page]) == 0.0
            )
        for page in fact.optional_pages:
            assert reference_score(task, with_citation=page_paths[page]) == 1.0
        for kind in fact.records:
            folder = folder_of_kind(task.world, kind)
            assert reference_score(task, without_citations_below=folder) == 0.0
        # The page on the brand is about none of the requests.
        assert reference_score(task, with_citation=page_paths["brand"]) == 0.0


# Which of these requests the preflight answers ------------------------------------------------
#
# The preflight is the part of the shop's solver that runs before the model. A classifier, a small
# model, may tell it what the request wants.


def facts_answered_by(answerer: Answerer) -> list[str]:
    """Return the names of the facts about requests that this part of the solver answers."""
    return [name for name, fact in FACTS.items() if fact.answerer is answerer]


def play_preflight(name: str, *, classifier: str) -> Iterator[PlayedTrial]:
    """Yield trials of a fact's request in several worlds, in which only the preflight may answer.

    The classifier is "right", or "mute": it says nothing about any request.
    """
    variant = FACTS[name].variant
    family = family_of_variant(variant)
    for seed in range(WORLD_COUNT):
        yield play_shop_trial(
            family,
            generate_variant(variant, f"row|{seed}"),
            variant,
            classifier=classifier,
            preflight_alone=True,
        )


@pytest.mark.parametrize("name", facts_answered_by(Answerer.PREFLIGHT_WITH_CLASSIFIER))
def test_the_preflight_answers_if_the_classifier_says_what_is_wanted(name: str) -> None:
    """`closed_by` names the part of the preflight that has answered."""
    for trial in play_preflight(name, classifier="right"):
        assert trial.score == 1.0, trial
        assert trial.closed_by != "", trial


@pytest.mark.parametrize("name", facts_answered_by(Answerer.PREFLIGHT))
def test_the_preflight_answers_by_records_and_pages_alone(name: str) -> None:
    """The classifier says nothing, and yet a part of the preflight, `closed_by`, has answered."""
    for trial in play_preflight(name, classifier="mute"):
        assert trial.score == 1.0, trial
        assert trial.closed_by != "", trial


@pytest.mark.parametrize("name", facts_answered_by(Answerer.MODEL))
def test_the_preflight_leaves_other_requests_to_the_model(name: str) -> None:
    """Nothing was answered, because no model plays: the score is 0, and `closed_by` is empty."""
    for trial in play_preflight(name, classifier="mute"):
        assert trial.score == 0.0, trial
        assert trial.closed_by == "", trial


# Single citations -----------------------------------------------------------------------------


def path_of_another_basket(world: World, basket_id: str) -> str:
    """Return the path of the first basket that has another id."""
    for basket in world.baskets.values():
        if basket.id != basket_id:
            return world.path(basket)
    msg = "the world has only one basket"
    raise AssertionError(msg)


def test_denial_of_a_discount_may_cite_the_basket_and_the_own_staff_record() -> None:
    """An employee without the role for discounts asks for a discount on a basket."""
    task = generate_variant("discount-authority: role is missing", "fact|records")
    world = task.world
    own_staff_record = world.path(world.employees[world.session.user])
    basket_id = task.truth.for_tests["basket"]
    basket = world.path(world.baskets[basket_id])
    other_basket = path_of_another_basket(world, basket_id)

    assert reference_score(task, with_citation=own_staff_record) == 1.0
    assert reference_score(task, with_citation=basket) == 1.0
    assert reference_score(task, with_citation=other_basket) == 0.0


ROW_OF_EXPORT = re.compile(r"/archive/[\w.-]+\.tsv#row=AR-\w+")
"""The citation of one row: `/archive/payments.tsv#row=AR-DcV62h`."""


def test_only_existing_rows_of_an_export_may_be_cited() -> None:
    """The request asks for the fraudulent rows of an export, and the answer cites each of them."""
    task = generate_variant("archive-fraud", "fact|rows")
    export_path = task.truth.for_tests["path"]

    answer = reference_answer(EcomEnvironment(workspace_of(task.world)), task.truth)

    for citation in answer.refs:
        assert ROW_OF_EXPORT.fullmatch(citation)
    missing_row = f"{export_path}#row=AR-none"
    assert reference_score(task, with_citation=missing_row) == 0.0
    no_row = f"{export_path}#anything"
    assert reference_score(task, with_citation=no_row) == 0.0
