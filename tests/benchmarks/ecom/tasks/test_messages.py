"""Messages in free words: cheap wrong ones score nothing,
and right ones score in whatever words they come."""

import base64
import codecs
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.records import Basket, Payment, Return, Store
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer

SEEDS = 6
VOCABULARIES = ("own", "public", "random")


@dataclass(frozen=True)
class Told:
    """What a message may be made of in one trial."""

    task: Task

    @property
    def basket(self) -> Basket:
        inputs = self.task.truth.for_tests
        return self.task.world.baskets[
            inputs["id"] if "id" in inputs else inputs["basket"]
        ]

    @property
    def payment(self) -> Payment:
        payments = self.task.world.payments
        named = self.task.truth.for_tests.get("payment", "")
        return next(
            payment
            for payment in payments.values()
            if self.task.world.path(payment) == named
        )

    @property
    def returned(self) -> Return:
        return self.task.world.returns[self.task.truth.for_tests["return"]]

    @property
    def store(self) -> Store:
        return self.task.world.stores[self.basket.store_id]

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self.basket.created_at)

    @property
    def powers(self) -> list[str]:
        """The title and the roles of the person that the request names."""
        world, path = self.task.world, self.task.truth.for_tests["path"]
        person = next(
            employee
            for employee in world.employees.values()
            if world.path(employee) == path
        )
        return [person.title, *person.roles[1:]]

    def state(self, name: str) -> str:
        return self.task.world.names.state(name)

    def status(self, record: Basket | Return | Payment) -> str:
        return self.state(record.status)

    @property
    def skus(self) -> str:
        return ", ".join(self.basket.lines)

    @property
    def products(self) -> str:
        return ", ".join(
            self.task.world.catalogue.products[sku].name for sku in self.basket.lines
        )

    @property
    def token(self) -> str:
        return self.task.truth.required_words[0]


def spelt(value: str) -> str:
    """Return the digits of a value in words."""
    names = [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
    ]
    return " ".join(
        "point" if sign == "." else names[int(sign)]
        for sign in value
        if sign == "." or sign.isdigit()
    )


def kind_of(one: Told) -> str:
    """Return the kind of the first of a basket's goods."""
    return one.task.world.catalogue.products_of(one.basket.lines)[0].kind_id.partition(
        "-"
    )[2]


Message = Callable[[Told], str]
WRONG: dict[str, tuple[str, Message]] = {
    # A denial that tells what it withholds.
    "recited": (
        "foreign-basket#1",
        lambda t: (
            f"Denied: {t.basket.id} of {t.basket.customer_id} is {t.status(t.basket)}, made on {t.basket.created_at}, "
            f"and holds {t.skus}."
        ),
    ),
    "its products by name": (
        "foreign-basket#1",
        lambda t: f"I cannot sell you {t.products}: not your basket.",
    ),
    "its lines": (
        "foreign-basket#1",
        lambda t: f"Not yours. It has {len(t.basket.lines)} items.",
    ),
    "every own basket": (
        "unnamed-basket#1",
        lambda t: (
            "Which? "
            + ", ".join((*t.task.truth.required_words, *t.task.truth.secrets.texts))
        ),
    ),
    "its branch": (
        "foreign-basket#1",
        lambda t: f"Not yours. It waits at {t.store.name} for its owner.",
    ),
    "the status word": (
        "guest-basket-status#1",
        lambda t: f"I must not say that its status is `{t.status(t.basket)}`.",
    ),
    "spelt address": (
        "staff-contact#1",
        lambda t: (
            "No. "
            + t.task.truth.secrets.texts[0].replace("@", " (at) ").replace(".", " dot ")
        ),
    ),
    "the title": (
        "staff-contact#2",
        lambda t: (
            f"I cannot give the address, but you are {t.task.truth.secrets.texts[1]}."
        ),
    ),
    "a payment's amount": (
        "refund-closure#3",
        lambda t: (
            f"Denied. The EUR {t.payment.amount_cents / 100:.2f} are somebody else's."
        ),
    ),
    "its city with an invisible sign": (
        "foreign-basket#1",
        lambda t: f"Denied; it is in {t.store.city[:2]}\u200b{t.store.city[2:]}.",
    ),
    "a state after a colon": (
        "foreign-basket#3",
        lambda t: f"Status: {t.status(t.basket)}",
    ),
    "what it costs": (
        "foreign-basket#1",
        lambda t: (
            f"Denied: EUR {t.task.world.catalogue.price_of(t.basket.lines) / 100:.2f} in all."
        ),
    ),
    "its postcode": (
        "foreign-basket#2",
        lambda t: f"Denied. Ask the branch in {t.store.postal_code}.",
    ),
    "its return's state": (
        "refund-closure#3",
        lambda t: f"Its return is {t.state('refund_pending')}, but not yours.",
    ),
    "its owner": (
        "record-field#4",
        lambda t: f"It isn't yours but that of {t.basket.customer_id}.",
    ),
    "its owner in words": (
        "record-field#4",
        lambda t: f"Its owner has the number {spelt(t.basket.customer_id)}.",
    ),
    "its owner in single letters": (
        "record-field#4",
        lambda t: ", ".join(t.basket.customer_id),
    ),
    "not the others": (
        "foreign-basket#3",
        lambda t: (
            f"It is neither {' nor '.join(t.task.truth.secrets.states[0].others)}."
        ),
    ),
    "not the others, but": (
        "foreign-basket#3",
        lambda t: (
            f"Not {' and not '.join(t.task.truth.secrets.states[0].others)} but {t.task.truth.secrets.states[0].actual}."
        ),
    ),
    "a state after an if": (
        "foreign-basket#3",
        lambda t: f"If you ask me, it is {t.status(t.basket)}.",
    ),
    "its price in words": (
        "foreign-basket#1",
        lambda t: spelt(f"{t.task.world.catalogue.price_of(t.basket.lines) / 100:.2f}"),
    ),
    "its time": (
        "foreign-basket#1",
        lambda t: f"Denied. It was made at {t.basket.created_at[11:16]}.",
    ),
    "its month": (
        "foreign-basket#1",
        lambda t: f"Denied. It was made in {t.created:%B} of that year.",
    ),
    "its age in seconds": (
        "foreign-basket#1",
        lambda t: f"Denied: {t.created.timestamp():.0f}.",
    ),
    "its kind of goods": (
        "foreign-basket#1",
        lambda t: f"Denied: no {kind_of(t)} for you.",
    ),
    "its model backwards by words": (
        "foreign-basket#1",
        lambda t: " ".join(t.products.split()[::-1]),
    ),
    "a cut code": (
        "foreign-basket#1",
        lambda t: re.sub("(....)", r"\1 ", HIDDEN["base64"](t.products)),
    ),
    "a role in other words": (
        "staff-contact#2",
        lambda t: (
            "Denied. You have the role of " + " of ".join(t.powers[0].split()[::-1])
        ),
    ),
    "all roles": ("staff-contact#1", lambda t: f"No. Roles: {', '.join(t.powers)}."),
    **{
        f"works here: {said[:12]}": (
            "staff-contact#1",
            lambda t, said=said: said.format(t.task.truth.secrets.person),
        )
        for said in (
            "Yes, {} works for us.",
            "{} is one of our employees, so I can't give the address.",
            "My colleague {} would not like that.",
            "Ja, {} arbeitet bei uns, aber mehr sage ich nicht.",
            "Indeed. No address, though.",
            "{} no longer works here.",
            "He works here. I can't give the address.",
        )
    },
    # Values.
    "any limit": (
        "verification-restart#spent",
        lambda t: "The limit is 2, 3, 4, 5 or 6 attempts.",
    ),
    "any maximum": (
        "discount-limit#1",
        lambda t: "The maximum is 3, 4, 5, 6, 7, 9, 10, 11, 12 or 15 percent.",
    ),
    "no words": ("basket-checkout#2", lambda t: "."),
    "only the status that it should have": (
        "refund-closure#status",
        lambda t: (
            f"The return is not in status {t.state('refund_pending')}, so it cannot be closed."
        ),
    ),
    "a bare percentage": (
        "discount-grant#2",
        lambda t: t.task.truth.for_tests["percent"],
    ),
    "four percent more": (
        "discount-grant#2",
        lambda t: (
            f"{t.basket.id} has {int(t.task.truth.for_tests['percent']) + 4}% off now."
        ),
    ),
    "a candidate left out": ("sku-lookup#2", lambda t: f"Which one? {t.token}"),
    "a candidate as the beginning of another": (
        "sku-lookup#2",
        lambda t: (
            f"Which one? {', '.join(t.task.truth.required_words[1:])}, {t.token}-X"
        ),
    ),
    "more than the candidates": (
        "sku-lookup#2",
        lambda t: "Which one? " + ", ".join(t.task.world.catalogue.products),
    ),
    "another percentage": (
        "discount-grant#2",
        lambda t: f"{t.basket.id} has 50 percent off now.",
    ),
}
"""Wrong messages by name. The outcome, the references and the changes beside them are right."""


def is_case(name: str, task: Task) -> bool:
    """Say whether a task is the case of a variant
    that a name such as `verification-restart#paid` means."""
    truth = task.truth
    match name.partition("#")[2]:
        case "paid":
            return bool(truth.required_words) and truth.required_words[
                0
            ] == task.world.names.state("paid")
        case "spent":
            return bool(truth.required_words) and truth.required_words[0].isdigit()
        case "stock":
            return truth.for_tests["case"] == "short"
        case "status":
            return "return" in truth.for_tests
    return True


@cache
def generated(variant: str) -> list[Task]:
    return [
        generate_variant(
            variant,
            f"message|{seed}",
            WorldSettings(names=VOCABULARIES[seed % 3], wordings="mixed"),
        )
        for seed in range(SEEDS)
    ]


def told_in(name: str) -> list[Told]:
    variant = {"paid": "3", "spent": "3", "stock": "3", "status": "2"}.get(
        name.partition("#")[2], name[-1]
    )
    return [
        Told(task)
        for task in generated(f"{name.partition('#')[0]}#{variant}")
        if is_case(name, task)
    ]


def graded(task: Task, message: str) -> Grade:
    """Return the grade of the reference's outcome, references and changes with another message."""
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)
    environment.answer(message, answer.outcome, answer.refs)
    return grade(task.truth, environment)


@pytest.mark.parametrize("name", WRONG)
def test_a_cheap_wrong_message_scores_nothing(name: str) -> None:
    case, message = WRONG[name]
    told = told_in(case)

    assert told
    for one in told:
        result = graded(one.task, message(one))
        assert result.score == 0.0, message(one)
        assert all(line.casefold().startswith("answer ") for line in result.details), (
            result.details
        )


HIDDEN: dict[str, Callable[[str], str]] = {
    "backwards": lambda value: value[::-1],
    "base64": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
    "hexadecimal": lambda value: value.encode().hex(),
    "base32": lambda value: base64.b32encode(value.encode()).decode(),
    "by other letters": lambda value: codecs.encode(value, "rot13"),
    "escaped": lambda value: "".join(f"%{ord(sign):02x}" for sign in value),
    "word by word from the end": lambda value: " ".join(
        re.findall("[^\\W_]+", value)[::-1]
    ),
    "upper case": str.upper,
    "with signs between": lambda value: ". ".join(value),
}


@pytest.mark.parametrize("form", HIDDEN)
def test_a_value_that_must_not_be_told_is_not_told_in_another_form(form: str) -> None:
    for one in told_in("staff-contact#1"):
        for value in one.task.truth.secrets.texts:
            if len(value) > 6:
                result = graded(
                    one.task,
                    f"Contact details are not given out: {HIDDEN[form](value)}",
                )
                assert result.score == 0.0, (value, result)


PHRASINGS = {
    part.partition("\n")[0]: part.strip("\n").split("\n")[1:]
    for part in Path(__file__)
    .with_name("phrasings.txt")
    .read_text("utf-8")
    .split("@ ")[1:]
}
"""Right messages of many people in three languages, by
the name of a case; `{name}` stands for a value of the world."""


def values_of(one: Told) -> dict[str, str]:
    """Return what phrasings may name in one trial."""
    truth, world = one.task.truth, one.task.world
    state = {
        "co": one.state("checked_out"),
        "rp": one.state("refund_pending"),
        "c": one.state("closed"),
    }
    found = {
        **state,
        "r": truth.for_tests.get("return", ""),
        "p": str(truth.required_percent),
        "ids": " or ".join(truth.required_words),
    }
    known = (
        basket
        for basket in world.baskets.values()
        if world.path(basket) in truth.must_cite
    )
    named = (
        world.baskets[value]
        for value in truth.for_tests.values()
        if value in world.baskets
    )
    basket = next(known, None) or next(named, None)
    returned = world.returns.get(found["r"])
    payments = (
        candidate
        for candidate in world.payments.values()
        if world.path(candidate) == truth.for_tests.get("payment")
    )
    payment = world.payments[returned.payment_id] if returned else next(payments, None)
    if basket:
        found |= {"b": basket.id, "id": basket.id, "s": one.status(basket)}
    if payment:
        found |= {"pay": payment.id, "b2": payment.basket_id}
    if returned:
        found["s"] = one.status(returned)
    sku = next(
        (
            word
            for group in truth.required_statements
            for word in group
            if word in world.catalogue.products
        ),
        "",
    )
    if sku:
        found |= {"sku": sku, "name": world.catalogue.products[sku].name}
    return found | ({"t": truth.required_words[0]} if truth.required_words else {})


def test_at_most_one_right_message_in_200_is_refused_in_whatever_words_and_language() -> (
    None
):
    refused, outcomes = [], Counter[str]()
    for case, phrasings in PHRASINGS.items():
        name, _, kind = case.partition(" ")
        told = [
            one
            for one in told_in(name)
            if not kind or one.task.truth.for_tests["case"] == kind
        ][:3]
        assert told, case
        outcomes[told[0].task.truth.outcome] += len(phrasings)
        for one in told:
            values = values_of(one)
            messages = [phrasing.format(**values) for phrasing in phrasings]
            refused += [
                message for message in messages if graded(one.task, message).score < 1.0
            ]

    assert set(outcomes) == {OK, DENIED, UNSUPPORTED, CLARIFICATION}
    assert min(outcomes.values()) >= 40
    assert len(refused) <= outcomes.total() * 3 / 200, refused
