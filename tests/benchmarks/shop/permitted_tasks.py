"""Tasks of the shop with the changes that their requests permit: those of files, and those by tools.

    PermittedTask("basket-checkout", task, {"files": False, "tools": True}).may_make_its_change  # True

A *family* is a kind of task, such as `basket-checkout`. Some families need a change of files, others a
run of a tool, and the requests of all others are questions.
"""

from typing import NamedTuple

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.request_flags import reply_with_flags, right_flags

FAMILIES_THAT_CHANGE_FILES = frozenset(
    {"basket-addition", "crosslist", "inventory-export", "temporary-files"}
)
"""Kinds of tasks whose changes are made by writing and deleting files; all others use tools."""

FAMILIES_THAT_ASK_FOR_CHANGES = FAMILIES_THAT_CHANGE_FILES | {
    "basket-checkout",
    "foreign-basket",
    "unnamed-basket",
    "discount-grant",
    "discount-limit",
    "discount-authority",
    "refund-approval",
    "refund-closure",
    "verification-restart",
    "external-system",
    "injected-block",
}
"""Kinds of tasks whose requests ask for a change, which may be forbidden.

The requests of all others are questions.
"""


class PermittedTask(NamedTuple):
    """A task with the changes that its request permits."""

    family: str
    """The kind of task: `basket-checkout`."""
    task: Task
    changes: dict[str, bool]
    """What is permitted: `{"files": False, "tools": True}`."""

    @property
    def needs_change(self) -> bool:
        """True if the right answer to the task comes with a change."""
        return bool(self.task.truth.changes)

    @property
    def may_make_its_change(self) -> bool:
        """True if the kind of change that the task is about is permitted."""
        kind = "files" if self.family in FAMILIES_THAT_CHANGE_FILES else "tools"
        return self.changes[kind]

    @property
    def is_question(self) -> bool:
        """True if the request does not even ask for a change."""
        asks_for_change = self.family in FAMILIES_THAT_ASK_FOR_CHANGES
        return not self.needs_change and not asks_for_change


def right_classifier_reply(family: str, task: Task) -> str:
    """Return what a classifier that makes no mistake replies to a task's request."""
    roles = task.world.session.roles
    is_staff = "customer" not in roles and "guest" not in roles
    return reply_with_flags(right_flags(family, task.truth, asker_is_staff=is_staff))
