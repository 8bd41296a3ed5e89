"""Which tasks of ours are of the same kind as each task of the public shop benchmark.

The public benchmark has numbered tasks, which ours imitate. A *family* is a kind of requests: those of
`staff-contact` ask for an employee's e-mail address. A *variant* is one case of a family:

    variants_of(12)  # ("foreign-basket: checkout of a foreign one",)
    variants_of(32)  # the same: the kinds of tasks recur after 20 numbers, with exceptions
"""

from typing import Final

from tests.benchmarks.ecom.recorded.our_variants import OUR_VARIANTS

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
