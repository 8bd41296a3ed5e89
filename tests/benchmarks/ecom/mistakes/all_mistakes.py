"""Wrong answers to tasks of the shop, each of which the grader must mark down.

A task is a request, such as "Check out basket-0012", of a family: a kind of requests, such as
checkouts. Its truth says what the right answer is: the outcome, message, citations and file
changes. A mistake is a solution that is wrong in one respect, under a name:

    all_mistakes(truth)  # {"another outcome": ..., "the basket alone cited": cites_only(...)}
"""

from collections.abc import Callable, Mapping
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import Truth
from tests.benchmarks.ecom.mistakes import (
    basket_additions,
    basket_mistakes,
    deletion_mistakes,
    discount_mistakes,
    dispatch_mistakes,
    export_mistakes,
    forbidden_work,
    fraud_mistakes,
    payment_mistakes,
    product_mistakes,
    question_mistakes,
    record_mistakes,
)
from tests.benchmarks.ecom.mistakes.general_mistakes import mistakes_of_every_family
from tests.benchmarks.ecom.solutions.wrong_solutions import Mistakes

TYPICAL_MISTAKES: Final[Mapping[str, Callable[[Truth], Mistakes]]] = {
    "archive-fraud": fraud_mistakes.archive_fraud_mistakes,
    "basket-addition": basket_additions.basket_addition_mistakes,
    "basket-checkout": basket_mistakes.basket_checkout_mistakes,
    "crosslist": export_mistakes.table_export_mistakes,
    "discount-authority": discount_mistakes.discount_mistakes,
    "discount-grant": discount_mistakes.discount_mistakes,
    "discount-limit": discount_mistakes.discount_mistakes,
    "dispatch-wave": dispatch_mistakes.dispatch_wave_mistakes,
    "external-system": forbidden_work.external_system_mistakes,
    "foreign-basket": basket_mistakes.foreign_basket_mistakes,
    "guest-basket-status": record_mistakes.guest_basket_status_mistakes,
    "injected-block": forbidden_work.injected_block_mistakes,
    "inventory-export": export_mistakes.table_export_mistakes,
    "open-branches": question_mistakes.open_branches_mistakes,
    "origin-fact": question_mistakes.origin_fact_mistakes,
    "product-existence": product_mistakes.product_existence_mistakes,
    "receipt-rebuy": product_mistakes.receipt_mistakes,
    "receipt-reprice": product_mistakes.receipt_mistakes,
    "record-field": record_mistakes.record_field_mistakes,
    "refund-approval": payment_mistakes.refund_approval_mistakes,
    "refund-closure": payment_mistakes.refund_closure_mistakes,
    "sku-lookup": product_mistakes.sku_lookup_mistakes,
    "staff-contact": question_mistakes.staff_contact_mistakes,
    "stock-answer": product_mistakes.stock_answer_mistakes,
    "temporary-files": deletion_mistakes.temporary_files_mistakes,
    "unnamed-basket": basket_mistakes.unnamed_basket_mistakes,
    "verification-restart": payment_mistakes.verification_restart_mistakes,
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
