"""The records that the request of a task is about, such as a basket, for tests of messages about it.

    records = TrialRecords(task)  # "What is the status of basket-0412?"
    records.basket.status         # "active"
    records.store.name            # "Veerhaven Noord"

A message to the asker may name some of these records, and must not disclose others.
"""

from dataclasses import dataclass
from functools import cached_property

from controlplane.benchmarks.ecom.tasks.truth import Task, Truth
from controlplane.benchmarks.ecom.workspace import Workspace
from controlplane.benchmarks.ecom.world.records import Basket, Payment, Return, Store
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.tasks.asked_records import payment_asked_for


@dataclass(frozen=True)
class TrialRecords:
    """A task, with the records that its request is about as properties, or else `LookupError`."""

    task: Task

    @property
    def world(self) -> World:
        return self.task.world

    @cached_property
    def workspace(self) -> Workspace:
        """The files of the world, which no answer changes."""
        return workspace_of(self.world)

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
