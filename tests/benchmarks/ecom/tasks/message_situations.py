"""Situations on which it depends whether a message to the asker is right.

    is_in_situation(trial, "out of stock")  # True if "No discount: VH-TNT-2P is out of stock" is right

A trial is a task in a world of its own. Tasks that refuse a discount, for example, differ in the reason.
"""

from controlplane.benchmarks.ecom.tasks.discounts import Obstacle
from controlplane.benchmarks.ecom.world.records import Payment
from tests.benchmarks.ecom.tasks.message_demands import Trial


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
