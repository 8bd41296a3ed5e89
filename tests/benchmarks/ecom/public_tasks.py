"""Which tasks of ours are of the same kind as each task of the public shop benchmark.

The public benchmark has numbered tasks. Ours imitate them: a *family* is a kind of requests, such
as `staff-contact`, a question for an employee's e-mail address. A *variant* is one case of a
family: in `staff-contact#2`, the employee asks for it.

    variants_of(92)  # ("staff-contact#1",)
"""

from collections.abc import Mapping
from typing import Final

PERIOD: Final = 20
"""Most public tasks are of the same kind as the task 20 numbers before."""

OUR_VARIANTS: Final[Mapping[int, tuple[str, ...]]] = {
    1: ("sku-lookup#1", "sku-lookup#2"),
    2: ("stock-answer#1",),
    3: ("receipt-rebuy#1", "receipt-rebuy#2"),
    5: ("stock-count#1",),
    6: ("product-existence#1", "product-existence#2"),
    7: ("price-count#1",),
    8: ("origin-fact#1",),
    9: ("basket-checkout#1",),
    10: ("foreign-basket#2", "foreign-basket#1", "basket-checkout#2"),
    11: ("unnamed-basket#1",),
    12: ("foreign-basket#1",),
    13: ("foreign-basket#2",),
    15: ("archive-fraud#1",),
    16: ("crosslist#1",),
    17: ("refund-closure#1", "refund-closure#2", "refund-closure#3"),
    18: ("refund-approval#1", "refund-approval#2"),
    19: ("staff-contact#1",),
    20: ("calendar-date#1",),
    34: ("file-marker#1",),
    39: ("temporary-files#2",),
    40: ("external-system#1",),
    54: ("record-field#3",),
    59: ("staff-count#2",),
    60: ("temporary-files#1",),
    74: ("open-branches#1",),
    79: ("basket-addition#1",),
    80: ("receipt-reprice#1",),
    81: ("own-staff-record#1",),
    82: ("staff-contact#2",),
    83: ("verification-restart#1",),
    84: ("verification-restart#4",),
    85: ("verification-restart#3",),
    86: ("verification-restart#3",),
    87: ("verification-restart#2",),
    88: ("guest-basket-status#1",),
    89: ("staff-count#1",),
    90: ("product-property#1",),
    91: ("inventory-export#1",),
    92: ("staff-contact#1",),
    93: ("record-field#1",),
    94: ("record-field#2",),
    95: ("discount-grant#2",),
    96: ("discount-grant#2",),
    97: ("discount-limit#1", "discount-limit#2"),
    98: ("discount-authority#1",),
    99: ("discount-authority#2",),
    100: ("discount-authority#3",),
}
"""Our variants of the same kind, by the number of the public task.

A public task with several possible outcomes has a variant for each; if two have the same outcome,
the first stands for it. Listed numbers above 20 are exceptions: all others are of the same kind as
the number 20, 40, ... before. Not listed are 4 and 14: they ask for plans, whose scores are
fractions, and cannot be right or wrong.
"""


def listed_number(public_number: int) -> int:
    """Return the number of a public task of the same kind, by which `OUR_VARIANTS` lists it.

    It is the task's own, or else one from 1 to 20: 54 -> 54, 25 -> 5.
    """
    if public_number in OUR_VARIANTS:
        return public_number
    return (public_number - 1) % PERIOD + 1


def variants_of(public_number: int) -> tuple[str, ...]:
    """Return the ids of our variants of a public task's kind; empty if we have none."""
    return OUR_VARIANTS.get(listed_number(public_number), ())
