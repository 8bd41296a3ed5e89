"""Our variants of public tasks that are answered in sentences, and not with a number, say.

    freely_worded_variants(17)
    # {OK: "refund-closure: possible", DENIED: "refund-closure: another customer's", ...}

A *variant* is one case of a family of our tasks.
"""

from collections.abc import Mapping
from functools import cache
from typing import Final

from tests.benchmarks.ecom.recorded.public_outlines import PUBLIC_NAMES
from tests.benchmarks.ecom.recorded.public_tasks import variants_of
from tests.benchmarks.ecom.variant_ids import family_of_variant
from tests.benchmarks.ecom.variants import generate_variant

FREELY_WORDED: Final = frozenset(
    {
        "basket-addition",
        "basket-checkout",
        "discount-authority",
        "discount-grant",
        "discount-limit",
        "external-system",
        "foreign-basket",
        "guest-basket-status",
        "refund-approval",
        "refund-closure",
        "staff-contact",
        "verification-restart",
    }
)
"""The families of tasks that are answered in sentences."""


@cache
def freely_worded_variants(public_number: int) -> Mapping[str, str]:
    """Return our first variant of a public task's kind for each outcome.

    Empty if requests of this kind are not answered in sentences.
    """
    variants: dict[str, str] = {}
    for variant_id in variants_of(public_number):
        if family_of_variant(variant_id) in FREELY_WORDED:
            task = generate_variant(variant_id, "outcome", PUBLIC_NAMES)
            variants.setdefault(task.truth.outcome, variant_id)
    return variants
