"""Records of another customer that the first message of a task shows, which it should not."""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of


def foreign_records(task: Task, shown: set[str]) -> Iterator[str]:
    """Yield the shown records that belong to another customer than the user.

    Staff may see all records, so for them there are none.
    """
    workspace = workspace_of(task.world)
    if "employee" in ", ".join(workspace.roles).lower():
        return
    for records in (task.world.baskets, task.world.payments, task.world.returns):
        for record in records.values():
            path = task.world.path(record)
            owner = owner_of(task, record)
            if path in shown and owner != workspace.user:
                yield path


def owner_of(task: Task, record: object) -> str:
    """Return the customer of a basket or a payment; of a return, that of its payment."""
    if hasattr(record, "customer_id"):
        return str(record.customer_id)
    payment = task.world.payments[str(getattr(record, "payment_id", ""))]
    return str(payment.customer_id)
