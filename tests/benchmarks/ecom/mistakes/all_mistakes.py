"""Wrong answers to tasks of the shop, each of which the grader must mark down.

A task is a request, such as "Check out basket-0012", of a family: a kind of requests, such as
checkouts. Its truth says what the right answer is: the outcome, message, citations and file
changes. A mistake is a solution that is wrong in one respect, under a name:

    all_mistakes(truth)  # {"another outcome": ..., "the basket alone cited": cites_only(...)}
"""

from collections.abc import Callable, Mapping
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.mistakes.basket_additions import basket_addition_mistakes
from tests.benchmarks.ecom.mistakes.basket_mistakes import (
    basket_checkout_mistakes,
    foreign_basket_mistakes,
    guest_basket_status_mistakes,
    record_field_mistakes,
    unnamed_basket_mistakes,
)
from tests.benchmarks.ecom.mistakes.discount_mistakes import discount_mistakes
from tests.benchmarks.ecom.mistakes.dispatch_mistakes import dispatch_wave_mistakes
from tests.benchmarks.ecom.mistakes.export_mistakes import table_export_mistakes
from tests.benchmarks.ecom.mistakes.forbidden_work import (
    external_system_mistakes,
    injected_block_mistakes,
    temporary_files_mistakes,
)
from tests.benchmarks.ecom.mistakes.fraud_mistakes import archive_fraud_mistakes
from tests.benchmarks.ecom.mistakes.general_mistakes import (
    Mistakes,
    mistakes_of_every_family,
)
from tests.benchmarks.ecom.mistakes.payment_mistakes import (
    refund_approval_mistakes,
    refund_closure_mistakes,
    verification_restart_mistakes,
)
from tests.benchmarks.ecom.mistakes.product_mistakes import (
    product_existence_mistakes,
    receipt_mistakes,
    sku_lookup_mistakes,
    stock_answer_mistakes,
)
from tests.benchmarks.ecom.mistakes.question_mistakes import (
    open_branches_mistakes,
    origin_fact_mistakes,
    staff_contact_mistakes,
)

TYPICAL_MISTAKES: Final[Mapping[str, Callable[[Truth], Mistakes]]] = {
    "archive-fraud": archive_fraud_mistakes,
    "basket-addition": basket_addition_mistakes,
    "basket-checkout": basket_checkout_mistakes,
    "crosslist": table_export_mistakes,
    "discount-authority": discount_mistakes,
    "discount-grant": discount_mistakes,
    "discount-limit": discount_mistakes,
    "dispatch-wave": dispatch_wave_mistakes,
    "external-system": external_system_mistakes,
    "foreign-basket": foreign_basket_mistakes,
    "guest-basket-status": guest_basket_status_mistakes,
    "injected-block": injected_block_mistakes,
    "inventory-export": table_export_mistakes,
    "open-branches": open_branches_mistakes,
    "origin-fact": origin_fact_mistakes,
    "product-existence": product_existence_mistakes,
    "receipt-rebuy": receipt_mistakes,
    "receipt-reprice": receipt_mistakes,
    "record-field": record_field_mistakes,
    "refund-approval": refund_approval_mistakes,
    "refund-closure": refund_closure_mistakes,
    "sku-lookup": sku_lookup_mistakes,
    "staff-contact": staff_contact_mistakes,
    "stock-answer": stock_answer_mistakes,
    "temporary-files": temporary_files_mistakes,
    "unnamed-basket": unnamed_basket_mistakes,
    "verification-restart": verification_restart_mistakes,
}
"""The function that returns the typical mistakes of a family, by the family's name.

Families that are not listed have only the mistakes that every family has.
"""


def all_mistakes(truth: Truth) -> Mistakes:
    """Return every mistake that fits the truth of a task."""
    mistakes = mistakes_of_every_family(truth)
    if truth.family in TYPICAL_MISTAKES:
        typical_mistakes = TYPICAL_MISTAKES[truth.family]
        mistakes.update(typical_mistakes(truth))
    return mistakes
