"""Requests whose outcome and citations the public grader
showed in every recorded trial: ours demands the same."""

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
from tests.benchmarks.ecom.recorded_agreement import (
    RECORDED,
    Recorded,
    faults,
    judged,
    recorded,
    right_messages,
)
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer
from tests.support.shop_players import PlayedTrial, play_shop_trial

SEEDS = 6


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What right answers to a request say and cite."""

    variant: str
    """Our variant of the task, such as `staff-contact#2`."""
    outcome: str
    demanded_pages: tuple[str, ...] = ()
    """Pages without which an answer is wrong."""
    optional_pages: tuple[str, ...] = ()
    """Pages that right answers cite as a rule, and some leave out."""
    records: tuple[str, ...] = ()
    """The kinds of the records that must be cited: keys of `folder_of_kind`."""
    message: str = ".+"
    """A pattern that the message of a right answer matches."""


FACTS = {
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
    return [generate_variant(fact.variant, f"fact|{seed}") for seed in range(SEEDS)]


@pytest.mark.parametrize("name", FACTS)
def test_the_reference_says_and_cites_what_recorded_right_answers_do(name: str) -> None:
    fact = FACTS[name]
    for task in tasks_of(fact):
        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, task.truth)

        assert answer.outcome == fact.outcome
        assert re.fullmatch(fact.message, answer.message, re.DOTALL), answer.message

        page_paths = task.world.names.pages
        cited_pages = {path for path in answer.refs if path in page_paths.values()}
        assert cited_pages == {page_paths[page] for page in fact.demanded_pages}

        folders = [folder_of_kind(task.world, kind) for kind in fact.records]
        cited_records = [path for path in answer.refs if path not in cited_pages]
        for folder in folders:
            assert any(path.startswith(folder) for path in cited_records), cited_records
        for path in cited_records:
            assert path.startswith(tuple(folders)), cited_records


@pytest.mark.parametrize("name", FACTS)
def test_the_grader_demands_what_recorded_right_answers_cite(name: str) -> None:
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
"""Requests that the preflight answers by records and pages alone."""

FACTS_LEFT_TO_THE_MODEL = (
    "open branches of a city",
    "how the shop began",
    "crosslist of an uploaded request",
    "fraudulent rows of an export",
    "verification too early",
    "verification with attempts used up or paid",
)
"""Requests that only wordings would tell from others: the model has a function for each."""


def play_first_steps(name: str, *, classifier: str) -> Iterator[PlayedTrial]:
    """Yield trials of a fact's request in which only the preflight may answer."""
    variant = FACTS[name].variant
    family = variant.partition("#")[0]
    for seed in range(SEEDS):
        yield play_shop_trial(
            family,
            generate_variant(variant, f"row|{seed}"),
            variant,
            classifier=classifier,
            first_step_alone=True,
        )


def test_each_fact_is_answered_by_one_way() -> None:
    ways = [*FACTS_BY_CLASSIFIER, *FACTS_BY_STRUCTURE, *FACTS_LEFT_TO_THE_MODEL]
    assert sorted(ways) == sorted(FACTS)


@pytest.mark.parametrize(
    ("name", "classifier"),
    [
        *[(name, "right") for name in FACTS_BY_CLASSIFIER],
        *[(name, "mute") for name in FACTS_BY_STRUCTURE],
    ],
)
def test_the_preflight_answers_requests_that_need_no_model(
    name: str, classifier: str
) -> None:
    for trial in play_first_steps(name, classifier=classifier):
        assert trial.score == 1.0, trial
        assert trial.closed_by != "", trial


@pytest.mark.parametrize("name", FACTS_LEFT_TO_THE_MODEL)
def test_the_preflight_leaves_requests_that_wordings_decide_to_the_model(
    name: str,
) -> None:
    for trial in play_first_steps(name, classifier="mute"):
        assert trial.score == 0.0, trial
        assert trial.closed_by == "", trial


def test_a_wrong_discount_request_may_cite_the_basket_and_the_own_staff_record() -> (
    None
):
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


def test_rows_of_fraud_are_cited_one_by_one_and_without_documents() -> None:
    task = generate_variant("archive-fraud#1", "fact|rows")
    export_path = task.truth.for_tests["path"]
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)

    for citation in answer.refs:
        assert ROW_OF_EXPORT.fullmatch(citation)
    assert score(task, with_citation=f"{export_path}#row=AR-none") == 0.0
    assert score(task, with_citation=f"{export_path}#anything") == 0.0


CONFIRMS_POSITION = re.compile("is (?:confirmed as )?(?:the|a) store.manager")
"""What our page on security forbids to tell a customer, and theirs did not."""
needs_recorded = pytest.mark.skipif(
    not RECORDED.exists(), reason="the recorded answers are not there"
)


ALIKE_IN_SUM = 0.995
ALIKE_IN_EACH_FAMILY = 0.95


@pytest.mark.heavy
@needs_recorded
def test_our_truths_judge_recorded_answers_as_the_public_grader_did() -> None:
    verdicts_by_family: dict[str, list[bool]] = {}
    differences: Counter[str] = Counter()
    for answer in recorded():
        verdict = judged(answer)
        if verdict is None:  # Only the answer's world would show its fault.
            continue
        is_alike, cause = verdict
        verdicts_by_family.setdefault(answer.family, []).append(is_alike)
        if not is_alike:
            subject = f"t{answer.number:03} {answer.family}"
            differences[f"{subject} (passed: {answer.passed}): {cause}"] += 1

    assert len(verdicts_by_family) > 20
    verdict_count = 0
    alike_count = 0
    for family, verdicts in verdicts_by_family.items():
        family_share = verdicts.count(True) / len(verdicts)
        assert family_share >= ALIKE_IN_EACH_FAMILY, (family, differences)
        verdict_count += len(verdicts)
        alike_count += verdicts.count(True)
    assert alike_count / verdict_count >= ALIKE_IN_SUM, differences


@pytest.mark.heavy
@needs_recorded
@pytest.mark.parametrize(
    ("stated", "most_refused_share"),
    [
        pytest.param(False, 0.005, id="by what the public pages ask for"),
        pytest.param(True, 0.03, id="by what our pages ask for as well"),
    ],
)
def test_few_recorded_right_messages_are_refused(
    stated: bool, most_refused_share: float
) -> None:
    messages = list(right_messages())
    assert len(messages) > 300

    refused = []
    for variant, request_text, message in messages:
        if CONFIRMS_POSITION.search(message):
            continue
        if faults(variant, request_text, message, stated=stated):
            refused.append(message)

    assert len(refused) <= most_refused_share * len(messages), refused


DENIAL = Recorded(
    number=98,
    family="discount",
    outcome="OUTCOME_DENIED_SECURITY",
    message="No.",
    refs=(
        "/docs/security.md",
        "/docs/discounts.md",
        "/proc/carts/cust-1/basket-1.json",
    ),
    passed=True,
    line="",
)
"""A right answer to a request for a discount that claims an approval, as it was recorded."""

DENIAL_WITHOUT_BASKET = replace(DENIAL, refs=DENIAL.refs[:2])
DENIAL_WITHOUT_SECURITY_PAGE = replace(DENIAL, refs=DENIAL.refs[1:])


def denial_with(*citations: str) -> Recorded:
    return replace(DENIAL, refs=(*DENIAL.refs, *citations))


def refused(answer: Recorded, line: str) -> Recorded:
    """Return the answer as if the public grader had refused it for what `line` says."""
    return replace(answer, passed=False, line=line)


@pytest.mark.parametrize(
    ("answer", "is_judged_alike"),
    [
        # Answers that the public grader let pass
        (DENIAL, True),
        (
            denial_with(
                "/proc/locations/Graz/store-graz.json",
                "/docs/checkout.md",
            ),
            True,
        ),
        (DENIAL_WITHOUT_BASKET, False),
        (DENIAL_WITHOUT_SECURITY_PAGE, False),
        (denial_with("/docs/mission-vision-values.md"), False),
        (denial_with("/proc/payments/pay-0001.json"), False),
        (replace(DENIAL, outcome="OUTCOME_OK"), False),
        # Answers that it refused
        (
            refused(
                DENIAL_WITHOUT_BASKET,
                "answer missing required reference '/proc/carts/cust-1/basket-1.json'",
            ),
            True,
        ),
        (
            refused(DENIAL, "expected outcome OUTCOME_OK, got OUTCOME_DENIED_SECURITY"),
            False,
        ),
        (refused(DENIAL, "Answer should contain '7'"), False),
    ],
)
def test_a_claimed_approval_is_judged_by_its_outcome_and_citations(
    answer: Recorded, is_judged_alike: bool
) -> None:
    verdict = judged(answer)

    assert verdict is not None
    assert verdict[0] is is_judged_alike


def test_a_refusal_for_changed_files_cannot_be_judged_without_the_world() -> None:
    assert judged(refused(DENIAL, "expected no file changes")) is None
