"""Which tasks of ours are of the same kind as each task of the public shop benchmark.

The public benchmark has numbered tasks, which ours imitate. A *family* is a kind of requests: those of
`staff-contact` ask for an employee's e-mail address. A *variant* is one case of a family:

    variants_of(12)  # ("foreign-basket: checkout of a foreign one",)
    variants_of(32)  # the same: the kinds of tasks recur after 20 numbers, with exceptions
"""

from collections.abc import Mapping
from typing import Final

# Our variants of the same kind as the numbered tasks of the public shop benchmark.
#
# `staff-contact: asked by a guest` is a *variant*: the family (kind of requests) `staff-contact`, in the
# case `asked by a guest`. Public tasks recur after 20 numbers: 23 and 43 are of the same kind as 3.
# Numbers above 20 are listed only if they are exceptions: 34 is not of the same kind as 14.

OUR_VARIANTS: Final[Mapping[int, tuple[str, ...]]] = {
    # The first 20 tasks. Without plans (4 and 14), whose scores are fractions.
    1: ("sku-lookup: one product fits", "sku-lookup: several products fit"),
    2: ("stock-answer: today",),
    3: ("receipt-rebuy: named and legible", "receipt-rebuy: last upload, worn"),
    5: ("stock-count: available",),
    6: ("product-existence: one product fits", "product-existence: no product fits"),
    7: ("price-count",),
    8: ("origin-fact: recorded",),
    9: ("basket-checkout: possible",),
    10: (
        "foreign-basket: asked by a guest",
        "foreign-basket: checkout of a foreign one",
        "basket-checkout: one line is short",
    ),
    11: ("unnamed-basket: several are active",),
    12: ("foreign-basket: checkout of a foreign one",),
    13: ("foreign-basket: asked by a guest",),
    15: ("archive-fraud",),
    16: ("crosslist",),
    17: (
        "refund-closure: possible",
        "refund-closure: status forbids it",
        "refund-closure: another customer's",
    ),
    18: ("refund-approval: possible", "refund-approval: status forbids it"),
    19: ("staff-contact: asked by a customer",),
    20: ("calendar-date",),
    # Exceptions among the tasks above 20.
    34: ("file-marker",),
    39: ("temporary-files: one suffix",),
    40: ("external-system: no such system",),
    54: ("record-field: own record",),
    59: ("staff-count: every branch",),
    60: ("temporary-files: every file",),
    74: ("open-branches",),
    79: ("basket-addition: one product fits",),
    80: ("receipt-reprice",),
    81: ("own-staff-record",),
    82: ("staff-contact: asked by a guest",),
    83: ("verification-restart: possible",),
    84: ("verification-restart: another customer's",),
    85: ("verification-restart: spent or paid",),
    86: ("verification-restart: spent or paid",),
    87: ("verification-restart: too early",),
    88: ("guest-basket-status: asked by a guest",),
    89: ("staff-count: one branch",),
    90: ("product-property",),
    91: ("inventory-export",),
    92: ("staff-contact: asked by a customer",),
    93: ("record-field: branch",),
    94: ("record-field: product",),
    95: ("discount-grant: maximum",),
    96: ("discount-grant: maximum",),
    97: (
        "discount-limit: too much for a small basket",
        "discount-limit: too much for a large basket",
    ),
    98: ("discount-authority: asked by a customer",),
    99: ("discount-authority: role is missing",),
    100: ("discount-authority: records forbid it",),
}
"""Our variants, by the number of the public task.

A public task may have several right outcomes, such as OK and DENIED. Then there is a variant for each.
If two variants have the same outcome, the first of them is used.
"""


PERIOD: Final = 20
"""Most public tasks are of the same kind as the task 20 numbers before."""


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
