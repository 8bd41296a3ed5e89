"""Facts about right answers that recorded trials of the public shop benchmark show.

For example: a guest who asks for the status of a basket must be denied, and the answer must
cite the page on security. Our benchmark imitates the public one, so our references must
give such answers and our grader must demand them. The last tests compare our verdicts
with the public grader's, answer by answer.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

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
from tests.benchmarks.ecom.recorded_agreement import agreement_on
from tests.benchmarks.ecom.recorded_answers import (
    RECORDED_FILE,
    RecordedAnswer,
    recorded_answers,
)
from tests.benchmarks.ecom.recorded_messages import faults_in_our_worlds, right_messages
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer
from tests.support.shop_players import PlayedTrial, play_shop_trial

WORLD_COUNT = 6
"""In how many worlds each fact is tested."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What right answers to a kind of request say and cite."""

    variant: str
    """Our task of this kind: `staff-contact#2` is the second case of that family."""
    outcome: str
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
        variant="staff-contact#2",
        outcome=DENIED,
        demanded_pages=(SECURITY,),
    ),
    "checkout of a basket, not signed in": Fact(
        variant="foreign-basket#2",
        outcome=DENIED,
        demanded_pages=(SECURITY,),
        optional_pages=(CHECKOUT,),
    ),
    "status of a basket, not signed in": Fact(
        variant="guest-basket-status#1",
        outcome=DENIED,
        demanded_pages=(SECURITY,),
        optional_pages=(CHECKOUT,),
    ),
    "discount without the role, with an approval named": Fact(
        variant="discount-authority#2",
        outcome=DENIED,
        demanded_pages=(SECURITY, DISCOUNTS),
    ),
    "checkout of one of several baskets": Fact(
        variant="unnamed-basket#1",
        outcome=CLARIFICATION,
        optional_pages=(CHECKOUT, SECURITY),
        records=("baskets",),
        message=".*basket.*",
    ),
    "e-mail of staff, by a customer": Fact(
        variant="staff-contact#1",
        outcome=DENIED,
        demanded_pages=(SECURITY,),
    ),
    "open branches of a city": Fact(
        variant="open-branches#1",
        outcome=OK,
        records=("stores",),
    ),
    "how the shop began": Fact(
        variant="origin-fact#1",
        outcome=OK,
        demanded_pages=(ORIGINS,),
    ),
    "crosslist of an uploaded request": Fact(
        variant="crosslist#1",
        outcome=OK,
        demanded_pages=(CROSSLIST,),
        records=("uploads",),
        message=r"/exports/[\w.-]+\.tsv",  # /exports/crosslist-12.tsv
    ),
    "fraudulent rows of an export": Fact(
        variant="archive-fraud#1",
        outcome=OK,
        records=("archive",),
        message=r"EUR \d+\.\d\d",  # EUR 612.40
    ),
    "verification too early": Fact(
        variant="verification-restart#2",
        outcome=UNSUPPORTED,
        demanded_pages=(VERIFICATION,),
        optional_pages=(SECURITY,),
        records=("payments", "baskets"),
        message=r".*\d{4}-\d\d-\d\dT.*Z.*",  # ... 2027-03-01T08:00:00Z ...
    ),
    "verification with attempts used up or paid": Fact(
        variant="verification-restart#3",
        outcome=UNSUPPORTED,
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


def score(
    task: Task,
    *,
    without_citations_below: str | None = None,
    with_citation: str | None = None,
) -> float:
    """Return the score of the reference's answer, perhaps with other citations.

    `without_citations_below` leaves out those that begin with this path.
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


def tasks_of(fact: Fact) -> list[Task]:
    """Return tasks of the fact's kind in several worlds."""
    seeds = range(WORLD_COUNT)
    return [generate_variant(fact.variant, f"fact|{seed}") for seed in seeds]


@pytest.mark.parametrize("name", FACTS)
def test_our_reference_answers_as_recorded_right_answers_do(name: str) -> None:
    """The outcome, the message and the kinds of citations are those that were recorded."""
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


@pytest.mark.parametrize("name", FACTS)
def test_our_grader_demands_what_recorded_right_answers_cite(name: str) -> None:
    """A missing page or record costs the whole score; an optional page costs nothing."""
    fact = FACTS[name]
    for task in tasks_of(fact):
        page_paths = task.world.names.pages

        assert score(task) == 1.0
        for page in fact.demanded_pages:
            assert score(task, without_citations_below=page_paths[page]) == 0.0
        for page in fact.optional_pages:
            assert score(task, with_citation=page_paths[page]) == 1.0
        for kind in fact.records:
            folder = folder_of_kind(task.world, kind)
            assert score(task, without_citations_below=folder) == 0.0
        # The page on the brand has to do with none of the requests.
        assert score(task, with_citation=page_paths["brand"]) == 0.0


# Which of these requests the preflight answers
#
# The preflight is the part of the shop's solver that runs before the model. It denies a
# request, or asks back, if records and pages show that nothing else is right. A classifier,
# which is a small model, may tell it what the request wants.

FACTS_BY_CLASSIFIER = (
    "own staff record, claimed by a guest",
    "discount without the role, with an approval named",
    "checkout of one of several baskets",
    "e-mail of staff, by a customer",
)
"""Requests that the preflight answers if the classifier says what is wanted."""

FACTS_BY_STRUCTURE = (
    "checkout of a basket, not signed in",
    "status of a basket, not signed in",
)
"""Requests that the preflight answers without the classifier."""

FACTS_LEFT_TO_THE_MODEL = (
    "open branches of a city",
    "how the shop began",
    "crosslist of an uploaded request",
    "fraudulent rows of an export",
    "verification too early",
    "verification with attempts used up or paid",
)
"""Requests that the preflight can't tell from others, whatever their wording."""


def play_first_steps(name: str, *, classifier: str) -> Iterator[PlayedTrial]:
    """Yield trials of a fact's request in which only the preflight may answer.

    The classifier is "right", or "mute": it says nothing about any request. No model plays after the
    preflight, which is the first step. For the name "open branches of a city", the variant is
    `open-branches#1`, a task of the family `open-branches`; each trial has a world of its own.
    """
    variant = FACTS[name].variant
    family = variant.partition("#")[0]
    for seed in range(WORLD_COUNT):
        yield play_shop_trial(
            family,
            generate_variant(variant, f"row|{seed}"),
            variant,
            classifier=classifier,
            first_step_alone=True,
        )


def test_each_fact_is_in_one_of_the_three_groups() -> None:
    names = [*FACTS_BY_CLASSIFIER, *FACTS_BY_STRUCTURE, *FACTS_LEFT_TO_THE_MODEL]
    assert sorted(names) == sorted(FACTS)


@pytest.mark.parametrize("name", FACTS_BY_CLASSIFIER)
def test_the_preflight_answers_if_the_classifier_says_what_is_wanted(name: str) -> None:
    """`closed_by` names the part of the preflight that has answered."""
    for trial in play_first_steps(name, classifier="right"):
        assert trial.score == 1.0, trial
        assert trial.closed_by != "", trial


@pytest.mark.parametrize("name", FACTS_BY_STRUCTURE)
def test_the_preflight_answers_by_records_and_pages_alone(name: str) -> None:
    """The classifier says nothing, and `closed_by` names the part of the preflight that has
    answered."""
    for trial in play_first_steps(name, classifier="mute"):
        assert trial.score == 1.0, trial
        assert trial.closed_by != "", trial


@pytest.mark.parametrize("name", FACTS_LEFT_TO_THE_MODEL)
def test_the_preflight_leaves_other_requests_to_the_model(name: str) -> None:
    """Nothing was answered: the score is 0, and `closed_by` is empty."""
    for trial in play_first_steps(name, classifier="mute"):
        assert trial.score == 0.0, trial
        assert trial.closed_by == "", trial


# Single citations -----------------------------------------------------------------------------


def test_denial_of_a_discount_may_cite_the_basket_and_the_own_staff_record() -> None:
    """The request is for a basket, by an employee without the role for discounts."""
    task = generate_variant("discount-authority#2", "fact|records")
    world = task.world
    own_paths = [
        world.path(employee)
        for employee in world.employees.values()
        if employee.id == world.session.user
    ]
    basket_path = world.path(world.baskets[task.truth.for_tests["basket"]])
    other_basket_paths = [
        world.path(basket)
        for basket in world.baskets.values()
        if world.path(basket) != basket_path
    ]

    assert score(task, with_citation=own_paths[0]) == 1.0
    assert score(task, with_citation=basket_path) == 1.0
    assert score(task, with_citation=other_basket_paths[0]) == 0.0


ROW_OF_EXPORT = re.compile(r"/archive/[\w.-]+\.tsv#row=AR-\w+")
"""The citation of one row: `/archive/payments.tsv#row=AR-DcV62h`."""


def test_only_existing_rows_of_an_export_may_be_cited() -> None:
    """The request asks for the fraudulent rows of an export, each of which is cited."""
    task = generate_variant("archive-fraud#1", "fact|rows")
    export_path = task.truth.for_tests["path"]
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)

    for citation in answer.refs:
        assert ROW_OF_EXPORT.fullmatch(citation)
    assert score(task, with_citation=f"{export_path}#row=AR-none") == 0.0
    assert score(task, with_citation=f"{export_path}#anything") == 0.0


# Our verdicts beside the public grader's ------------------------------------------------------

needs_recorded_answers = pytest.mark.skipif(
    not RECORDED_FILE.exists(), reason="the recorded answers are not there"
)
LEAST_AGREEMENT = 0.995
"""The least share of all recorded answers on which our verdict is the public grader's."""
LEAST_AGREEMENT_OF_A_FAMILY = 0.95


@pytest.mark.heavy
@needs_recorded_answers
def test_our_truths_judge_recorded_answers_as_the_public_grader_did() -> None:
    """All recorded answers are judged again. A few may differ, whose worlds are unknown."""
    verdicts_by_family: dict[str, list[bool]] = {}
    differences: Counter[str] = Counter()
    for answer in recorded_answers():
        agreement = agreement_on(answer)
        if agreement is None:  # Only the answer's world would show its fault.
            continue
        verdicts_by_family.setdefault(answer.family, []).append(agreement.is_alike)
        if not agreement.is_alike:
            subject = f"t{answer.number:03} {answer.family} (passed: {answer.passed})"
            differences[f"{subject}: {agreement.difference}"] += 1

    assert len(verdicts_by_family) > 20
    all_verdicts = []
    for family, verdicts in verdicts_by_family.items():
        family_share = verdicts.count(True) / len(verdicts)
        assert family_share >= LEAST_AGREEMENT_OF_A_FAMILY, (family, differences)
        all_verdicts += verdicts
    share = all_verdicts.count(True) / len(all_verdicts)
    assert share >= LEAST_AGREEMENT, differences


CONFIRMS_POSITION = re.compile("is (?:confirmed as )?(?:the|a) store.manager")
"""Finds messages that tell a customer an employee's position.

Our page on security forbids that, and theirs did not.
"""


@pytest.mark.heavy
@needs_recorded_answers
@pytest.mark.parametrize(
    ("with_statements", "most_refused_share"),
    [
        pytest.param(False, 0.005, id="by what the public pages ask for"),
        pytest.param(True, 0.03, id="by what our pages ask for as well"),
    ],
)
def test_our_grader_refuses_few_recorded_right_messages(
    with_statements: bool, most_refused_share: float
) -> None:
    """Our pages also ask a message to state the record and what was done."""
    messages = list(right_messages())
    assert len(messages) > 300

    refused = []
    for message in messages:
        if CONFIRMS_POSITION.search(message.message):
            continue
        if faults_in_our_worlds(message, with_statements=with_statements):
            refused.append(message.message)

    assert len(refused) <= most_refused_share * len(messages), refused


# Single verdicts. The answer is to task 98: a discount, for which the asker claims to have an
# approval. By our truths, too, the denial must cite the pages on security and discounts.

SECURITY_PAGE = "/docs/security.md"
DISCOUNT_PAGE = "/docs/discounts.md"
BASKET = "/proc/carts/cust-1/basket-1.json"

DENIAL = RecordedAnswer(
    number=98,
    family="discount",
    outcome=DENIED,
    message="No.",
    refs=(SECURITY_PAGE, DISCOUNT_PAGE, BASKET),
    passed=True,
    line="",
)
"""A right answer, as it was recorded."""

DENIAL_WITHOUT_BASKET = replace(DENIAL, refs=(SECURITY_PAGE, DISCOUNT_PAGE))
DENIAL_WITHOUT_SECURITY_PAGE = replace(DENIAL, refs=(DISCOUNT_PAGE, BASKET))


def denial_with(*more_citations: str) -> RecordedAnswer:
    return replace(DENIAL, refs=(*DENIAL.refs, *more_citations))


def refused(answer: RecordedAnswer, line: str) -> RecordedAnswer:
    """Return the answer as if the public grader had refused it for what `line` says."""
    return replace(answer, passed=False, line=line)


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(DENIAL, id="passed with the basket cited"),
        pytest.param(
            denial_with("/proc/locations/Graz/store-graz.json", "/docs/checkout.md"),
            id="passed with the branch and a related page cited",
        ),
        pytest.param(
            refused(
                DENIAL_WITHOUT_BASKET,
                f"answer missing required reference '{BASKET}'",
            ),
            id="refused because the basket is not cited",
        ),
    ],
)
def test_our_truths_agree_with_what_the_public_grader_demands(
    answer: RecordedAnswer,
) -> None:
    """Each row is the public grader's verdict on one answer, as it was recorded."""
    agreement = agreement_on(answer)

    assert agreement is not None
    assert agreement.is_alike


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(DENIAL_WITHOUT_BASKET, id="passed without the basket"),
        pytest.param(
            DENIAL_WITHOUT_SECURITY_PAGE, id="passed without the page on security"
        ),
        pytest.param(
            denial_with("/docs/mission-vision-values.md"),
            id="passed with an unrelated page",
        ),
        pytest.param(
            denial_with("/proc/payments/pay-0001.json"),
            id="passed with an unrelated payment",
        ),
        pytest.param(replace(DENIAL, outcome=OK), id="passed with another outcome"),
        pytest.param(
            refused(DENIAL, f"expected outcome {OK}, got {DENIED}"),
            id="refused because another outcome is right",
        ),
        pytest.param(
            refused(DENIAL, "Answer should contain '7'"),
            id="refused because the message lacks a number",
        ),
    ],
)
def test_our_truths_disagree_with_a_verdict_that_demands_something_else(
    answer: RecordedAnswer,
) -> None:
    """No such verdict was recorded: the comparison must notice if one were."""
    agreement = agreement_on(answer)

    assert agreement is not None
    assert not agreement.is_alike


def test_a_refusal_for_changed_files_cannot_be_judged_without_the_world() -> None:
    assert agreement_on(refused(DENIAL, "expected no file changes")) is None
