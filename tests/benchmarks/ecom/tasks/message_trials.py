"""Trials of the shop whose answers are freely worded, for tests of how their messages are graded.

A trial is a task in a world of its own. Its properties are the values that a message may name:

    for trial in trials_of("foreign-basket: asked by a guest"):
        message = "I can't help with {t.basket.id}.".format(t=trial)  # with basket-0412, say
        grade_of_message(trial, message).score  # 1.0
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cache

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.answer_secrets import RecordState
from controlplane.benchmarks.ecom.tasks.grader import Grade, grade
from controlplane.benchmarks.ecom.tasks.truth import Task, Truth
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Employee,
    Payment,
    Product,
    Return,
    Store,
)
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.reference_solutions import generate_variant, reference_answer

WORLD_COUNT = 6
"""In how many worlds each message is graded."""
VOCABULARIES = ("own", "public", "random")
"""The sets of names that worlds have for fields and states."""


@dataclass(frozen=True)
class Trial:
    """A task, with the values that a message to the asker may name as properties.

    The message "basket-0412 is already bought" names `trial.basket.id` and `trial.status`. If the
    request is not about a record, such as a payment, its property raises `LookupError`.
    """

    task: Task

    @property
    def world(self) -> World:
        return self.task.world

    @property
    def truth(self) -> Truth:
        """What the grader knows about right answers."""
        return self.task.truth

    @property
    def details(self) -> dict[str, str]:
        """What the request is about, under keys that depend on the family of the task.

        A discount: `{"basket": "basket-0412", "percent": "10"}`. A refund:
        `{"return": "ret-007", "payment": "/payments/pay-31.json"}`.
        """
        return dict(self.truth.for_tests)

    # The records that the request is about

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
        for payment in self.world.payments.values():
            if self.world.path(payment) == self.details.get("payment"):
                return payment
        msg = "the request is not about a payment"
        raise LookupError(msg)

    @property
    def employee(self) -> Employee:
        """The employee whose e-mail address is asked for."""
        for employee in self.world.employees.values():
            if self.world.path(employee) == self.details["path"]:
                return employee
        msg = "the request is not about an employee"
        raise LookupError(msg)

    @property
    def product(self) -> Product:
        """The first product that a right message has to name."""
        products = self.world.catalogue.products
        for wordings in self.truth.required_statements:
            for wording in wordings:
                if wording in products:
                    return products[wording]
        msg = "no message has to name a product"
        raise LookupError(msg)

    # What messages say about these records

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

    @property
    def title_and_roles(self) -> list[str]:
        """The employee's title, and the roles that are secret: all but the first.

        All employees have the first role, so that it is no secret.
        """
        _, *secret_roles = self.employee.roles
        return [self.employee.title, *secret_roles]

    # What a right message has to say, and what it must not say

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
        """The state that the message must not disclose: `trial.secret_state.actual`.

        `trial.secret_state.others` are the states that the record could have instead.
        """
        return self.truth.secrets.states[0]


# Trials by subject ----------------------------------------------------------------------------
#
# A subject says what is asked for: `foreign-basket: asked by a guest` is a family of tasks and a
# case of it. If right messages differ between the tasks of a case, the situation follows:
# `verification-restart: spent or paid (spent)`.


def is_in_situation(trial: Trial, situation: str) -> bool:
    """Return True if a trial is in the situation that a subject names.

    | situation     | a right message                                                    |
    | ------------- | ------------------------------------------------------------------ |
    | spent         | "All 4 attempts of pay-31 are used up."                            |
    | with a return | "Return ret-007 is closed already, so it cannot be closed again."  |
    | branch        | "No discount: basket-0412 belongs to another branch."              |
    | discounted    | "No discount: basket-0412 has one already."                        |
    | short         | "No discount: VH-TNT-2P is out of stock."                          |
    """
    if situation == "spent":
        # The message has to give the number of attempts that are allowed.
        return len(trial.required_words) > 0 and trial.required_words[0].isdigit()
    if situation == "with a return":
        return trial.returned is not None
    return trial.details["case"] == situation


@cache
def trials_of_variant(variant_id: str) -> list[Trial]:
    """Return trials of a variant in several worlds, which have different names for everything."""
    trials = []
    for seed in range(WORLD_COUNT):
        names = VOCABULARIES[seed % len(VOCABULARIES)]
        settings = WorldSettings(names=names, wordings="mixed")
        trials.append(Trial(generate_variant(variant_id, f"message|{seed}", settings)))
    return trials


def trials_of(subject: str) -> list[Trial]:
    """Return trials of a subject in several worlds; at least one.

    `trials_of("foreign-basket: asked by a guest")`
    """
    variant_id, _, situation = subject.removesuffix(")").partition(" (")
    trials = trials_of_variant(variant_id)
    if situation:
        trials = [trial for trial in trials if is_in_situation(trial, situation)]
    assert trials, subject
    return trials


def grade_of_message(trial: Trial, message: str) -> Grade:
    """Return the grade of an answer that is right, except perhaps for its message."""
    environment = EcomEnvironment(workspace_of(trial.world))
    answer = reference_answer(environment, trial.truth)
    environment.answer(message, answer.outcome, answer.refs)
    return grade(trial.truth, environment)


def assert_scores_nothing(trial: Trial, message: str) -> None:
    """Assert that the message costs the whole score, and that the grader names no other fault.

    Faults of a message begin with "answer": "answer gives 'paid' away".
    """
    result = grade_of_message(trial, message)
    assert result.score == 0.0, message
    for line in result.details:
        assert line.casefold().startswith("answer "), result.details
