"""Trials of the shop whose answers are freely worded, and how their messages are graded.

    for trial in trials_of("discount-authority: records forbid it", "out of stock"):
        message = f"{trial.basket.id} has a product that is out of stock."
        score_of_message(trial, message)  # 1.0

A trial is a task in a world of its own. `discount-authority: records forbid it` is a *variant*: a family
of tasks and a case of it. If right messages differ between its tasks, a situation follows.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Final

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.discounts import Obstacle
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import RecordState, TaskTruth, WorldTask
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.names import WorldSettings
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Employee,
    Payment,
    Return,
    SoldProduct,
    Store,
)
from controlplane.benchmarks.ecom.world.world import World, workspace_of
from tests.benchmarks.ecom.solutions.careless_solutions import reference_answer
from tests.benchmarks.ecom.variants import generate_variant

# The records that the request of a task is about, beside its basket.
#
#     payment_asked_for(task)    # Payment(id="pay-0031", ...), for "Is pay-0031 paid?"
#     employee_asked_for(task)   # Employee(id="emp-0007", ...), for "What is Mila's e-mail address?"
#     product_to_name(task)      # Product(sku="VH-TNT-2P", ...), which a right message has to name
#
# The *details* of a task, `truth.for_tests`, have the path of such a record. The keys depend on the
# task's family: `{"payment": "/proc/payments/pay-0031.json"}`. Without such a record: `LookupError`.


def payment_asked_for(task: WorldTask) -> Payment:
    """Return the payment whose path is among the details."""
    path = task.truth.for_tests.get("payment")
    for payment in task.world.payments.values():
        if task.world.path(payment) == path:
            return payment
    msg = "the request is not about a payment"
    raise LookupError(msg)


def employee_asked_for(task: WorldTask) -> Employee:
    """Return the employee whose path is among the details."""
    path = task.truth.for_tests.get("path")
    for employee in task.world.employees.values():
        if task.world.path(employee) == path:
            return employee
    msg = "the request is not about an employee"
    raise LookupError(msg)


def product_to_name(task: WorldTask) -> SoldProduct:
    """Return the first product that a right message has to name.

    A message has to make several statements, each in one of several wordings: the SKU or the name
    of a product, for example.
    """
    product_by_sku = task.world.catalogue.products
    for wordings in task.truth.required_statements:
        for wording in wordings:
            if wording in product_by_sku:
                return product_by_sku[wording]
    msg = "no message has to name a product"
    raise LookupError(msg)


# The records that the request of a task is about, such as a basket, for tests of messages about it.
#
#     records = TrialRecords(task)  # "What is the status of basket-0412?"
#     records.basket.status         # "active"
#     records.store.name            # "Veerhaven Noord"
#
# A message to the asker may name some of these records, and must not disclose others.


@dataclass(frozen=True)
class TrialRecords:
    """A task, with the records that its request is about as properties, or else `LookupError`."""

    task: WorldTask

    @property
    def world(self) -> World:
        return self.task.world

    @cached_property
    def workspace(self) -> Workspace:
        """The files of the world, which no answer changes."""
        return workspace_of(self.world)

    @property
    def truth(self) -> TaskTruth:
        """What the grader knows about right answers."""
        return self.task.truth

    @property
    def details(self) -> dict[str, str]:
        """What the request is about, under keys that depend on the family of the task.

        A discount: `{"basket": "basket-0412", "percent": "10"}`. A refund:
        `{"return": "ret-007", "payment": "/payments/pay-31.json"}`.
        """
        return dict(self.truth.for_tests)

    @property
    def basket(self) -> Basket:
        """The basket whose id or path is among the details, or which has to be cited."""
        mentioned = {*self.details.values(), *self.truth.must_cite}
        for basket in self.world.baskets.values():
            if basket.id in mentioned or self.world.path(basket) in mentioned:
                return basket
        msg = "the request is not about a basket"
        raise LookupError(msg)

    @property
    def store(self) -> Store:
        """The branch of the basket."""
        return self.world.stores[self.basket.store_id]

    @property
    def returned(self) -> Return | None:
        """The return of goods that is to be refunded; None if the request is not about one."""
        return self.world.returns.get(self.details.get("return", ""))

    @property
    def payment(self) -> Payment:
        """The payment of the returned goods, or the one whose path is among the details."""
        if self.returned is not None:
            return self.world.payments[self.returned.payment_id]
        return payment_asked_for(self.task)


# The values of records that a message to the asker may name: a status, a price, a day.
#
#     values = MessageValues(task)  # "What is the status of basket-0412?"
#     values.status                 # "filling"
#     values.price                  # "129.90"
#
# Each world has its own words for states, here `filling` for `active`.


class MessageValues(TrialRecords):
    """A task, with the values of its records that a message to the asker may name as properties."""

    @property
    def state_words(self) -> dict[str, str]:
        """This world's words for states: `{"checked_out": "bought", ...}`."""
        states = ("checked_out", "refund_pending", "closed")
        return {state: self.state_word(state) for state in states}

    def state_word(self, state: str) -> str:
        """Return this world's word for a state: `filling` for `active`."""
        return str(self.world.names.state(state))

    @property
    def status(self) -> str:
        """The status of the returned goods, or else of the basket."""
        if self.returned is not None:
            return self.state_word(self.returned.status)
        return self.state_word(self.basket.status)

    @property
    def created(self) -> datetime:
        """When the basket was created."""
        return datetime.fromisoformat(self.basket.created_at)

    @property
    def skus(self) -> str:
        """The SKUs of the products in the basket: `VH-TNT-2P, VH-BAG-40`."""
        return ", ".join(self.basket.lines)

    @property
    def product_names(self) -> str:
        """The names of the products in the basket."""
        products = self.world.catalogue.products
        return ", ".join(products[sku].name for sku in self.basket.lines)

    @property
    def kind_of_first_product(self) -> str:
        """The kind of the first product in the basket: `tents`."""
        products = self.world.catalogue.products_of(self.basket.lines)
        return products[0].kind_id.removeprefix("kind-")

    @property
    def price(self) -> str:
        """The price of the products in the basket: `129.90`."""
        cents = self.world.catalogue.price_of(self.basket.lines)
        return f"{cents / 100:.2f}"

    @property
    def payment_euros(self) -> str:
        """The amount of the payment: `129.90`."""
        return f"{self.payment.amount_cents / 100:.2f}"


# What a message to the asker has to say by the truth of a task, and what it must not say.
#
#     trial = Trial(task)    # "Check out my basket", by a customer who has two
#     trial.required_words   # ("basket-0412", "basket-0415")
#     trial.choice           # "basket-0412 or basket-0415"
#
# Tests write messages with these values, and have them graded.


class Trial(MessageValues):
    """A task in a shop of its own, with all values that a message may need.

    `MessageValues` has those of the shop's records: the message "basket-0412 is already bought" is
    written with `trial.basket.id` and `trial.status`. It has the task and its truth, too. Here are
    those that the truth demands or forbids.
    """

    @property
    def product(self) -> SoldProduct:
        """The first product that the message has to name."""
        return product_to_name(self.task)

    @property
    def percent(self) -> int:
        """The percentage that the message has to name."""
        return self.truth.required_percent

    @property
    def required_words(self) -> tuple[str, ...]:
        """The words that the message has to have, such as the ids of all baskets to choose from."""
        return self.truth.required_words

    @property
    def choice(self) -> str:
        """The required words as a choice for the asker: `basket-0412 or basket-0415`."""
        return " or ".join(self.required_words)

    @property
    def secret_texts(self) -> tuple[str, ...]:
        """The texts that the message must not have, such as an e-mail address."""
        return self.truth.secrets.texts

    @property
    def secret_state(self) -> RecordState:
        """The first state that the message must not disclose: `trial.secret_state.actual`.

        `trial.secret_state.others` are the states that the record could have instead.
        """
        return self.truth.secrets.states[0]

    @property
    def title_and_roles(self) -> list[str]:
        """The title and the secret roles of the employee who is asked for.

        The first role is no secret, as all employees have it.
        """
        employee = employee_asked_for(self.task)
        _, *secret_roles = employee.roles
        return [employee.title, *secret_roles]


# Situations on which it depends whether a message to the asker is right.
#
#     is_in_situation(trial, "out of stock")  # True if "No discount: VH-TNT-2P is out of stock" is right
#
# A trial is a task in a world of its own. Tasks that refuse a discount, for example, differ in the reason.


def is_in_situation(trial: Trial, situation: str) -> bool:
    """Return True if the task is in this situation; each has a right message below."""
    match situation:
        case "all attempts used":
            # "All 4 attempts of pay-31 are used up."
            return has_used_all_attempts(trial.payment)
        case "with a return":
            # "Return ret-007 is closed already, so it cannot be closed again."
            return trial.returned is not None
        case "other branch":
            # "No discount: basket-0412 belongs to another branch."
            return trial.details["case"] == Obstacle.OTHER_BRANCH
        case "discounted already":
            # "No discount: basket-0412 has one already."
            return trial.details["case"] == Obstacle.DISCOUNTED_ALREADY
        case "out of stock":
            # "No discount: VH-TNT-2P is out of stock."
            return trial.details["case"] == Obstacle.SHORT_STOCK
    raise ValueError(situation)


def has_used_all_attempts(payment: Payment) -> bool:
    """Return True if the bank's check of a payment may not be tried again."""
    check = payment.verification
    return check is not None and check.attempts == check.max_attempts


VOCABULARIES: Final = ("own", "public", "random", "own", "public", "random")
"""The sets of names that the worlds have for fields and states. Each message is graded in six."""


def trials_of(variant_id: str, situation: str = "") -> list[Trial]:
    """Return the trials of a variant that are in a situation, or all of them; at least one."""
    trials = trials_of_variant(variant_id)
    if situation:
        trials = [trial for trial in trials if is_in_situation(trial, situation)]
    assert trials, (variant_id, situation)
    return trials


@cache
def trials_of_variant(variant_id: str) -> list[Trial]:
    """Return trials of a variant in several worlds, which have different names for everything."""
    trials = []
    for seed, names in enumerate(VOCABULARIES):
        settings = WorldSettings(names=names, wordings="mixed")
        trials.append(Trial(generate_variant(variant_id, f"message|{seed}", settings)))
    return trials


def score_of_message(trial: Trial, message: str) -> float:
    """Return the score of an answer that is right, except perhaps for its message.

    Raises `AssertionError` if the grader names another fault. Faults of a message begin with
    "answer": "answer gives 'paid' away".
    """
    environment = EcomEnvironment(trial.workspace)
    answer = reference_answer(environment, trial.truth)
    environment.answer(message, answer.outcome, answer.refs)
    result = grade(trial.truth, environment)
    for fault in result.details:
        assert fault.casefold().startswith("answer "), (message, result.details)
    return result.score
