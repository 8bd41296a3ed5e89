"""Requests whose outcome and citations the public grader
showed in every recorded trial: ours demands the same."""

import re
from collections import Counter
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
from tests.support.shop_players import play

SEEDS = 6


@dataclass(frozen=True)
class Fact:
    """What right answers to a request say and cite."""

    variant: str
    outcome: str
    demanded: tuple[str, ...] = ()
    """Pages without which an answer is wrong."""
    usual: tuple[str, ...] = ()
    """Pages that right answers cite as a rule, and some leave out."""
    records: str = ""
    """The kind of the records that must be cited:
    an attribute of the layout's roots, or a folder."""
    message: str = ".+"


FACTS = {
    "own staff record, claimed by a guest": Fact(
        "staff-contact#2", DENIED, (SECURITY,)
    ),
    "checkout of a basket, not signed in": Fact(
        "foreign-basket#2", DENIED, (SECURITY,), (CHECKOUT,)
    ),
    "status of a basket, not signed in": Fact(
        "guest-basket-status#1", DENIED, (SECURITY,), (CHECKOUT,)
    ),
    "discount without the role, with an approval named": Fact(
        "discount-authority#2", DENIED, (SECURITY, DISCOUNTS)
    ),
    "checkout of one of several baskets": Fact(
        "unnamed-basket#1",
        CLARIFICATION,
        (),
        (CHECKOUT, SECURITY),
        "baskets",
        ".*basket.*",
    ),
    "e-mail of staff, by a customer": Fact("staff-contact#1", DENIED, (SECURITY,)),
    "open branches of a city": Fact("open-branches#1", OK, (), (), "stores"),
    "how the shop began": Fact("origin-fact#1", OK, (ORIGINS,)),
    "crosslist of an uploaded request": Fact(
        "crosslist#1", OK, (CROSSLIST,), (), "uploads", r"/exports/[\w.-]+\.tsv"
    ),
    "fraudulent rows of an export": Fact(
        "archive-fraud#1", OK, (), (), "/archive", r"EUR \d+\.\d\d"
    ),
    "verification too early": Fact(
        "verification-restart#2",
        UNSUPPORTED,
        (VERIFICATION,),
        (SECURITY,),
        "payments baskets",
        r".*\d{4}-\d\d-\d\dT.*Z.*",
    ),
    "verification with attempts used up or paid": Fact(
        "verification-restart#3",
        UNSUPPORTED,
        (VERIFICATION,),
        (SECURITY,),
        "payments baskets",
        r".*(\d|paid|PAID|[Ss]ettled).*",
    ),
}


def score(task: Task, *, drop: str = "", add: str = "") -> float:
    """Return the score of the reference's answer without
    the references that begin with `drop`, and with another."""
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)
    refs = [ref for ref in answer.refs if not drop or not ref.startswith(drop)]
    environment.answer(answer.message, answer.outcome, [*refs, *([add] if add else [])])
    return grade(task.truth, environment).score


@pytest.mark.parametrize("name", FACTS)
def test_the_reference_cites_what_right_answers_cite_and_the_grader_demands_it(
    name: str,
) -> None:
    fact = FACTS[name]
    for seed in range(SEEDS):
        task = generate_variant(fact.variant, f"fact|{seed}")
        truth, names = task.truth, task.world.names
        environment = EcomEnvironment(workspace_of(task.world))
        answer = reference_answer(environment, truth)
        pages = [ref for ref in answer.refs if ref in names.pages.values()]
        demanded = {names.pages[key] for key in fact.demanded}
        assert answer.outcome == fact.outcome
        assert {*pages} == demanded
        assert re.fullmatch(fact.message, answer.message, re.DOTALL), answer.message
        roots = {"uploads": names.uploads.split("/")[1], "/archive": "archive"}
        folders = [
            getattr(task.world.layout.roots, kind, f"/{roots.get(kind)}")
            for kind in fact.records.split()
        ]
        records = [ref for ref in answer.refs if ref not in pages]
        assert all(
            any(ref.startswith(folder) for ref in records) for folder in folders
        ), records
        assert all(ref.startswith(tuple(folders) or "none") for ref in records), records
        assert score(task) == 1.0
        for path in demanded:
            assert score(task, drop=path) == 0.0
        for key in fact.usual:
            assert score(task, add=names.pages[key]) == 1.0
        for folder in folders:
            assert score(task, drop=folder) == 0.0
        assert score(task, add=names.pages["brand"]) == 0.0


CLASSIFIED = (
    "own staff record",
    "discount without",
    "checkout of one",
    "e-mail of staff",
)
"""Rows of which the classifier says what is wanted; records and pages decide the others."""
LEFT_TO_THE_MODEL = (
    "open branches",
    "how the shop",
    "crosslist of",
    "fraudulent rows",
    "verification",
)
"""Rows that only wordings would tell from others: the model has a function for each."""


@pytest.mark.parametrize("name", FACTS)
def test_the_second_solver_gives_the_answer_of_every_row_of_structure_before_its_model(
    name: str,
) -> None:
    variant = FACTS[name].variant
    for seed in range(SEEDS):
        task = generate_variant(variant, f"row|{seed}")
        classifier = "right" if name.startswith(CLASSIFIED) else "mute"
        played = play(
            variant.partition("#")[0],
            task,
            variant,
            classifier=classifier,
            first_step_alone=True,
        )
        is_answered = not name.startswith(LEFT_TO_THE_MODEL)
        assert (played.score, played.closed_by != "") == (
            float(is_answered),
            is_answered,
        ), (
            task.instruction,
            played,
        )


def test_a_wrong_discount_request_may_cite_the_basket_and_the_own_staff_record() -> (
    None
):
    task = generate_variant("discount-authority#2", "fact|records")
    staff = next(
        task.world.path(employee)
        for employee in task.world.employees.values()
        if employee.id == task.world.session.user
    )
    basket = task.world.path(task.world.baskets[task.truth.for_tests["basket"]])

    assert {score(task, add=staff), score(task, add=basket)} == {1.0}
    other = next(
        task.world.path(candidate)
        for candidate in task.world.baskets.values()
        if task.world.path(candidate) != basket
    )
    assert score(task, add=other) == 0.0


def test_rows_of_fraud_are_cited_one_by_one_and_without_documents() -> None:
    task = generate_variant("archive-fraud#1", "fact|rows")
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)

    assert all(
        re.fullmatch(r"/archive/[\w.-]+\.tsv#row=AR-\w+", ref) for ref in answer.refs
    )
    assert score(task, add=f"{task.truth.for_tests['path']}#row=AR-none") == 0.0
    assert score(task, add=f"{task.truth.for_tests['path']}#anything") == 0.0


CONFIRMS = re.compile("is (?:confirmed as )?(?:the|a) store.manager")
"""What our page on security forbids to tell a customer, and theirs did not."""
needs_recorded = pytest.mark.skipif(
    not RECORDED.exists(), reason="the recorded answers are not there"
)
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


@pytest.mark.heavy
@needs_recorded
def test_judged_alike_in_sum_and_in_every_family() -> None:
    alike: dict[str, list[bool]] = {}
    causes: Counter[str] = Counter()
    for answer in recorded():
        if result := judged(answer):
            alike.setdefault(answer.family, []).append(result[0])
            causes[
                f"t{answer.number:03} {answer.family} (passed: {answer.passed}): {result[1]}"
            ] += not result[0]

    assert sum(map(sum, alike.values())) >= 0.995 * sum(map(len, alike.values())), (
        +causes
    )
    assert all(sum(each) >= 0.95 * len(each) for each in alike.values()), +causes
    assert len(alike) > 20


@pytest.mark.heavy
@needs_recorded
def test_words_that_passed_there_pass_here_unless_they_leave_out_what_our_pages_ask_for() -> (
    None
):
    told = [*right_messages()]
    assert len(told) > 300
    judged_here = [each for each in told if not CONFIRMS.search(each[2])]
    refused = [each[2] for each in judged_here if faults(*each, stated=False)]
    assert len(refused) <= 0.005 * len(told), refused
    silent = [each[2] for each in judged_here if faults(*each, stated=True)]
    assert len(silent) <= 0.03 * len(told), silent


@pytest.mark.parametrize(
    ("changed", "result"),
    [
        ({}, True),
        (
            {
                "refs": (
                    *DENIAL.refs,
                    "/proc/locations/Graz/store-graz.json",
                    "/docs/checkout.md",
                )
            },
            True,
        ),
        ({"refs": DENIAL.refs[:2]}, False),
        ({"refs": DENIAL.refs[1:]}, False),
        ({"refs": (*DENIAL.refs, "/docs/mission-vision-values.md")}, False),
        ({"refs": (*DENIAL.refs, "/proc/payments/pay-0001.json")}, False),
        ({"outcome": "OUTCOME_OK"}, False),
        (
            {
                "refs": DENIAL.refs[:2],
                "passed": False,
                "line": f"answer missing required reference '{DENIAL.refs[2]}'",
            },
            True,
        ),
        (
            {
                "passed": False,
                "line": "expected outcome OUTCOME_OK, got OUTCOME_DENIED_SECURITY",
            },
            False,
        ),
        ({"passed": False, "line": "Answer should contain '7'"}, False),
        ({"passed": False, "line": "expected no file changes"}, None),
    ],
)
def test_a_claimed_approval_is_judged_by_shape(
    changed: dict[str, object], result: bool | None
) -> None:
    verdict = judged(replace(DENIAL, **changed))
    assert (verdict and verdict[0]) is result
