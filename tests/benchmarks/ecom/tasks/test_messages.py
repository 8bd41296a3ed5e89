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
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Payment,
    Product,
    Return,
    Store,
)
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer

SEEDS = 6
VOCABULARIES = ("own", "public", "random")


@dataclass(frozen=True)
class TrialFacts:
    """What a message may tell of in one trial: the records and values of its world.

    `task.truth.for_tests` has the names of the task's records: the id or path of a basket,
    the path of a payment, the id of a return, the path of a person.
    """

    task: Task

    @property
    def basket(self) -> Basket:
        names = self.task.truth.for_tests
        basket_id = names["id"] if "id" in names else names["basket"]
        return self.task.world.baskets[basket_id]

    @property
    def payment(self) -> Payment:
        path = self.task.truth.for_tests.get("payment", "")
        for payment in self.task.world.payments.values():
            if self.task.world.path(payment) == path:
                return payment
        raise KeyError(path)

    @property
    def store(self) -> Store:
        return self.task.world.stores[self.basket.store_id]

    @property
    def created(self) -> datetime:
        return datetime.fromisoformat(self.basket.created_at)

    @property
    def title_and_roles(self) -> list[str]:
        """The title and the roles of the person that the request names."""
        path = self.task.truth.for_tests["path"]
        for employee in self.task.world.employees.values():
            if self.task.world.path(employee) == path:
                return [employee.title, *employee.roles[1:]]
        raise KeyError(path)

    def state(self, name: str) -> str:
        return self.task.world.names.state(name)

    def status(self, record: Basket | Return | Payment) -> str:
        return self.state(record.status)

    @property
    def skus(self) -> str:
        return ", ".join(self.basket.lines)

    @property
    def price(self) -> str:
        """The price of the basket's products: `129.90`."""
        cents = self.task.world.catalogue.price_of(self.basket.lines)
        return f"{cents / 100:.2f}"

    @property
    def products(self) -> str:
        products = self.task.world.catalogue.products
        return ", ".join(products[sku].name for sku in self.basket.lines)

    @property
    def first_required_word(self) -> str:
        return self.task.truth.required_words[0]


DIGIT_NAMES = [
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


def spelled(value: str) -> str:
    """Return the digits and points of a value in words: `four point five` for `EUR 4.5`."""
    words = []
    for sign in value:
        if sign == ".":
            words.append("point")
        elif sign.isdigit():
            words.append(DIGIT_NAMES[int(sign)])
    return " ".join(words)


def kind_of_first_product(facts: TrialFacts) -> str:
    """Return the kind of the first product in a basket: `tents` of the id `kind-tents`."""
    first_product = facts.task.world.catalogue.products_of(facts.basket.lines)[0]
    return first_product.kind_id.partition("-")[2]


Message = Callable[[TrialFacts], str]
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
        lambda t: f"Denied: EUR {t.price} in all.",
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
        lambda t: f"Its owner has the number {spelled(t.basket.customer_id)}.",
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
        lambda t: spelled(t.price),
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
        lambda t: f"Denied: no {kind_of_first_product(t)} for you.",
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
            "Denied. You have the role of "
            + " of ".join(t.title_and_roles[0].split()[::-1])
        ),
    ),
    "all roles": (
        "staff-contact#1",
        lambda t: f"No. Roles: {', '.join(t.title_and_roles)}.",
    ),
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
    "a candidate left out": (
        "sku-lookup#2",
        lambda t: f"Which one? {t.first_required_word}",
    ),
    "a candidate as the beginning of another": (
        "sku-lookup#2",
        lambda t: (
            f"Which one? {', '.join(t.task.truth.required_words[1:])}, {t.first_required_word}-X"
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


# The variants of some families have cases, of which a world draws one. A subject such as
# `verification-restart#paid` means a case; others, such as `foreign-basket#1`, a variant.
VARIANT_OF_CASE = {"paid": "3", "spent": "3", "stock": "3", "status": "2"}


def has_case(task: Task, case: str) -> bool:
    """Say whether a task of a case's variant is of that case."""
    truth = task.truth
    first_required_word = truth.required_words[0] if truth.required_words else ""
    match case:
        case "paid":
            return first_required_word == task.world.names.state("paid")
        case "spent":
            return first_required_word.isdigit()
        case "stock":
            return truth.for_tests["case"] == "short"
        case "status":
            return "return" in truth.for_tests
    return True


@cache
def tasks_of_variant(variant: str) -> list[Task]:
    tasks = []
    for seed in range(SEEDS):
        names = VOCABULARIES[seed % len(VOCABULARIES)]
        settings = WorldSettings(names=names, wordings="mixed")
        tasks.append(generate_variant(variant, f"message|{seed}", settings))
    return tasks


def trials_of(subject: str) -> list[TrialFacts]:
    """Return trials of a subject: `foreign-basket#1` or `verification-restart#paid`."""
    family, _, variant_or_case = subject.partition("#")
    # A case is also told by its name, a variant by its number.
    number = VARIANT_OF_CASE.get(variant_or_case, subject[-1])
    trials = []
    for task in tasks_of_variant(f"{family}#{number}"):
        if has_case(task, variant_or_case):
            trials.append(TrialFacts(task))
    return trials


def graded(task: Task, message: str) -> Grade:
    """Return the grade of the reference's outcome, references and changes with another message."""
    environment = EcomEnvironment(workspace_of(task.world))
    answer = reference_answer(environment, task.truth)
    environment.answer(message, answer.outcome, answer.refs)
    return grade(task.truth, environment)


@pytest.mark.parametrize("name", WRONG)
def test_a_cheap_wrong_message_scores_nothing(name: str) -> None:
    subject, message_of = WRONG[name]
    trials = trials_of(subject)

    assert trials
    for facts in trials:
        message = message_of(facts)
        result = graded(facts.task, message)
        assert result.score == 0.0, message
        # The message is the only fault.
        for line in result.details:
            assert line.casefold().startswith("answer "), result.details


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
    hide = HIDDEN[form]
    for facts in trials_of("staff-contact#1"):
        for value in facts.task.truth.secrets.texts:
            if len(value) <= 6:  # Short words may occur in any message.
                continue
            message = f"Contact details are not given out: {hide(value)}"
            result = graded(facts.task, message)
            assert result.score == 0.0, (value, result)


def read_phrasings() -> dict[str, list[str]]:
    """Return right messages of many people in three languages, by their subject.

    A subject stands behind an `@`, perhaps with a case, and its messages in the lines below:

        @ basket-checkout#1
        Basket {b} is checked out now.
        Der Warenkorb {b} ist jetzt ausgecheckt.

    `{b}` and others stand for values of the world: see `values_of`.
    """
    text = Path(__file__).with_name("phrasings.txt").read_text("utf-8")
    phrasings = {}
    for section in text.split("@ ")[1:]:
        subject, *messages = section.strip("\n").split("\n")
        phrasings[subject] = messages
    return phrasings


PHRASINGS = read_phrasings()


def basket_of(task: Task) -> Basket | None:
    """Return the basket that the answer must cite, or else one that the task names."""
    world = task.world
    for basket in world.baskets.values():
        if world.path(basket) in task.truth.must_cite:
            return basket
    for value in task.truth.for_tests.values():
        if value in world.baskets:
            return world.baskets[value]
    return None


def payment_of(task: Task, returned: Return | None) -> Payment | None:
    """Return the payment of the task's return, or else the one that the task names."""
    if returned:
        return task.world.payments[returned.payment_id]
    for payment in task.world.payments.values():
        if task.world.path(payment) == task.truth.for_tests.get("payment"):
            return payment
    return None


def product_of(task: Task) -> Product | None:
    """Return the first product that the answer has to state."""
    products = task.world.catalogue.products
    for statement in task.truth.required_statements:
        for word in statement:
            if word in products:
                return products[word]
    return None


def values_of(facts: TrialFacts) -> dict[str, str]:
    """Return what phrasings may name in one trial.

    `{b}`, `{id}` basket; `{pay}` payment, `{b2}` its basket; `{r}` return; `{s}` status;
    `{sku}`, `{name}` product; `{p}` percentage; `{t}`, `{ids}` first and all required words;
    `{co}`, `{rp}`, `{c}` the world's words for checked out, refund pending and closed.
    """
    truth = facts.task.truth
    world = facts.task.world
    values = {
        "co": facts.state("checked_out"),
        "rp": facts.state("refund_pending"),
        "c": facts.state("closed"),
        "r": truth.for_tests.get("return", ""),
        "p": str(truth.required_percent),
        "ids": " or ".join(truth.required_words),
    }
    basket = basket_of(facts.task)
    if basket:
        values["b"] = basket.id
        values["id"] = basket.id
        values["s"] = facts.status(basket)
    returned = world.returns.get(values["r"])
    payment = payment_of(facts.task, returned)
    if payment:
        values["pay"] = payment.id
        values["b2"] = payment.basket_id
    if returned:
        values["s"] = facts.status(returned)
    product = product_of(facts.task)
    if product:
        values["sku"] = product.sku
        values["name"] = product.name
    if truth.required_words:
        values["t"] = truth.required_words[0]
    return values


MOST_TRIALS_OF_A_SUBJECT = 3


def test_at_most_one_right_message_in_200_is_refused_in_any_words_and_language() -> (
    None
):
    refused: list[str] = []
    graded_count = 0
    messages_by_outcome = Counter[str]()
    for subject, phrasings in PHRASINGS.items():
        name, _, case = subject.partition(" ")
        trials = trials_of(name)
        if case:
            trials = [t for t in trials if t.task.truth.for_tests["case"] == case]
        assert trials, subject
        messages_by_outcome[trials[0].task.truth.outcome] += len(phrasings)

        for facts in trials[:MOST_TRIALS_OF_A_SUBJECT]:
            values = values_of(facts)
            for phrasing in phrasings:
                message = phrasing.format(**values)
                graded_count += 1
                if graded(facts.task, message).score < 1.0:
                    refused.append(message)

    assert set(messages_by_outcome) == {OK, DENIED, UNSUPPORTED, CLARIFICATION}
    assert min(messages_by_outcome.values()) >= 40
    assert len(refused) <= graded_count / 200, refused
