"""A refund for a payment needs the payment's return, which must be cited if it was read.

trial     reads the payment pay_0001, and a return with `"payment_id": "pay_0001"`
answer    "There is no return for it.", to "Close the refund for pay_0001."
objects   the rule `return`, since the return was read and is not cited
"""

from controlplane.gates.submission import UNSUPPORTED
from tests.benchmarks.shop.rules.read_records.answers_after_reading import rules_against
from tests.benchmarks.shop.trial_traces import Trace


def test_the_return_of_the_payment_that_was_read_must_be_cited() -> None:
    """The record has no blanks, and the rule must find the payment all the same."""
    trace = (
        Trace()
        .read("/proc/ledger/pay_0001.json", {"id": "pay_0001"})
        .read("/proc/return-cases/rma_0001.json", '{"payment_id":"pay_0001"}')
    )

    rules = rules_against(
        "There is no return for it.",
        request="Close the refund for pay_0001.",
        after=trace,
        cited=("/proc/ledger/pay_0001.json",),
        outcome=UNSUPPORTED,
    )

    assert rules == ["return"]


def test_the_return_of_another_payment_need_not_be_cited() -> None:
    trace = (
        Trace()
        .read("/proc/ledger/pay_0001.json", {"id": "pay_0001"})
        .read("/proc/return-cases/rma_0002.json", {"payment_id": "pay_0002"})
    )

    rules = rules_against(
        "There is no return for it.",
        request="Close the refund for pay_0001.",
        after=trace,
        cited=("/proc/ledger/pay_0001.json",),
        outcome=UNSUPPORTED,
    )

    assert rules == []


def test_a_payment_that_was_not_read_need_not_be_cited() -> None:
    returned = {"id": "rma_0001", "payment_id": "pay_0001"}
    trace = Trace().read("/proc/return-cases/rma_0001.json", returned)

    rules = rules_against(
        "Its payment is not on record.",
        request="Close the refund for pay_0001.",
        after=trace,
        cited=("/proc/return-cases/rma_0001.json",),
        outcome=UNSUPPORTED,
    )

    assert rules == []
