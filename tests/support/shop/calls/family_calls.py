"""The calls of functions that serve the tasks of each family, with the truth about them.

`CALLS_OF_FAMILY["stock-count"](task)` yields the `TrueCall`s for a task of this family. A test makes
each call and asks `is_right` about its value. A model, `right_calls_model.py`, solves tasks by them.
"""

from collections.abc import Callable, Iterator, Mapping

from controlplane.benchmarks.ecom.tasks.barred_answers import INJECTED_BLOCK
from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.basket_checks import checked_basket_calls
from tests.support.shop.calls.basket_choices import (
    basket_addition_calls,
    unnamed_basket_calls,
)
from tests.support.shop.calls.branch_calls import open_branches_calls
from tests.support.shop.calls.file_calls import file_marker_calls, receipt_calls
from tests.support.shop.calls.foreign_baskets import foreign_basket_calls
from tests.support.shop.calls.measured_calls import (
    archive_fraud_calls,
    dispatch_wave_calls,
)
from tests.support.shop.calls.payment_calls import verification_restart_calls
from tests.support.shop.calls.product_calls import (
    price_count_calls,
    product_existence_calls,
    sku_lookup_calls,
)
from tests.support.shop.calls.refund_calls import refund_closure_calls
from tests.support.shop.calls.staff_calls import (
    own_staff_record_calls,
    staff_count_calls,
)
from tests.support.shop.calls.stock_answers import stock_answer_calls
from tests.support.shop.calls.stock_counts import stock_count_calls
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.calls.workspace_calls import calendar_date_calls

CALLS_OF_FAMILY: Mapping[str, Callable[[Task], Iterator[TrueCall]]] = {
    "archive-fraud": archive_fraud_calls,
    "basket-addition": basket_addition_calls,
    "basket-checkout": checked_basket_calls,
    "calendar-date": calendar_date_calls,
    "discount-grant": checked_basket_calls,
    "discount-limit": checked_basket_calls,
    "dispatch-wave": dispatch_wave_calls,
    "file-marker": file_marker_calls,
    "foreign-basket": foreign_basket_calls,
    "guest-basket-status": foreign_basket_calls,
    "open-branches": open_branches_calls,
    "own-staff-record": own_staff_record_calls,
    "price-count": price_count_calls,
    "product-existence": product_existence_calls,
    "receipt-rebuy": receipt_calls,
    "receipt-reprice": receipt_calls,
    "refund-closure": refund_closure_calls,
    "sku-lookup": sku_lookup_calls,
    "staff-count": staff_count_calls,
    "stock-answer": stock_answer_calls,
    "stock-count": stock_count_calls,
    "unnamed-basket": unnamed_basket_calls,
    "verification-restart": verification_restart_calls,
}
"""The function that yields the calls for a family's tasks, by the family's name."""


def right_calls(family: str, task: Task) -> list[TrueCall]:
    """Return the calls that serve a task, if any do.

    No function serves a request that is barred, whatever its family: it has a block that poses as
    an instruction, or asks about a product of which nothing may be told yet.
    """
    is_barred = task.truth.family == INJECTED_BLOCK
    if family not in CALLS_OF_FAMILY or is_barred:
        return []
    return list(CALLS_OF_FAMILY[family](task))
