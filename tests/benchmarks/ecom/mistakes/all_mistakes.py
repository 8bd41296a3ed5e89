"""Wrong answers to tasks of the shop, each of which the grader must mark down.

A task is a request, such as "Check out basket-0012", of a family: a kind of requests, such as
checkouts. Its truth says what the right answer is: the outcome, message, citations and file
changes. A mistake is a solution that is wrong in one respect, under a name:

    all_mistakes(truth)  # {"another outcome": ..., "the basket alone cited": cites_only(...)}
"""

from collections.abc import Callable, Mapping
from typing import Final

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import INTERNAL, OK, UNSUPPORTED
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
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Mistakes,
    cites_unrelated_record,
    claims_changes_without_making_them,
    leaves_out_first_citation,
    right_except,
    writes_needless_file,
)

# Wrong messages of answers to the shop's tasks, which the grader must mark down.
#
#     wrong_messages(truth)  # {"a wrong value": ...}, which says "22" where the right message is "12"
#
# The truth of a task says what the right answer is. A mistake is a solution that is wrong in one respect:
# a function that gets a client for the task's shop and the truth, and returns its answer.

EMPTY_PHRASES: Final = ("It is so.", "Not done.", "I refuse.", ".")
"""Messages without any of the facts that a freely worded message must contain."""


def wrong_messages(truth: TaskTruth) -> Mistakes:
    """Return the mistakes that do all the right work, but say something else.

    If `12` is the only right message: `The answer is 12, I think.` and `22`. If the message is
    worded freely, but has to contain facts, such as the id of a basket: phrases without any.
    """
    if truth.is_exact:
        in_a_sentence = f"The answer is {truth.message}, I think."
        wrong_value = with_another_value(truth.message)
        return {
            "words around it": right_except(message=in_a_sentence),
            "a wrong value": right_except(message=wrong_value),
        }

    demands_facts = (
        truth.required_words or truth.required_statements or truth.required_percent
    )
    if demands_facts:
        return {phrase: right_except(message=phrase) for phrase in EMPTY_PHRASES}
    return {}


def with_another_value(message: str) -> str:
    """Return a message with its first digit counted on: `12 tents` -> `22 tents`.

    A message without a digit gets a "not" in front: `yes` -> `not yes`.
    """
    for index, letter in enumerate(message):
        if letter.isdigit():
            next_digit = str((int(letter) + 1) % 10)
            return message[:index] + next_digit + message[index + 1 :]
    return f"not {message}"


# Mistakes that are possible in every family of the shop's tasks, such as a wrong outcome.
#
# A task is a request, such as "Check out basket-0012", of a family: a kind of requests. Its truth says
# what the right answer is. A mistake is a solution that is wrong in one respect, under a name:
#
#     mistakes_of_every_family(truth)  # {"another outcome": ..., "an unrelated record": ...}


def mistakes_of_every_family(truth: TaskTruth) -> Mistakes:
    """Return the mistakes that depend only on what kind of answer the truth demands."""
    wrong_outcome = UNSUPPORTED if truth.outcome == OK else OK
    mistakes: Mistakes = {
        "another outcome": right_except(outcome=wrong_outcome),
        "giving up": right_except(outcome=INTERNAL),
        "an unrelated record": cites_unrelated_record,
        "one change too many": writes_needless_file,
    }
    if truth.changes:
        mistakes["a change claimed but not made"] = claims_changes_without_making_them
    if truth.must_cite or truth.must_cite_pages:
        mistakes["a missing reference"] = leaves_out_first_citation
    mistakes.update(wrong_messages(truth))
    return mistakes


TYPICAL_MISTAKES: Final[Mapping[str, Callable[[TaskTruth], Mistakes]]] = {
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


def all_mistakes(truth: TaskTruth) -> Mistakes:
    """Return every mistake that fits the truth of a task."""
    mistakes = mistakes_of_every_family(truth)
    if truth.family in TYPICAL_MISTAKES:
        typical_mistakes = TYPICAL_MISTAKES[truth.family]
        mistakes.update(typical_mistakes(truth))
    return mistakes
