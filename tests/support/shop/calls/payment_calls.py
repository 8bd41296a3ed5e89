"""The call for "My payment pay_12 was not verified. When can I try again?"

    retry_moment(payment="pay_12")
    -> {"attempts": 1, "max_attempts": 3, "retry_at": "2028-08-03T13:57:00Z", "passed": False, ...}

A task is a request, with the truth about it: `task.truth.for_tests` names the payment, and
`task.world.session` is who asks.
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall


def verification_restart_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call for a customer whose payment was not verified: when can they try again?

    `retry_moment` returns how often it was tried, and from when on it may be tried again; `passed`
    says whether that time has come. There is no call for another customer's payment, or one that needs no verification.
    """
    # {"id": "pay_12", "payment": "/proc/payments/pay_12.json"}
    inputs = task.truth.for_tests
    payment = task.world.payments[inputs["id"]]
    verification = payment.verification
    if verification is None or payment.customer_id != task.world.session.user:
        return
    now = task.world.clock.strftime("%Y-%m-%dT%H:%M:%SZ")

    def is_right(value: dict[str, Any]) -> bool:
        # Times in this notation compare as texts.
        return (
            value["attempts"] == verification.attempts
            and value["max_attempts"] == verification.max_attempts
            and value["retry_at"] == verification.retry_after
            and value["passed"] == (verification.retry_after <= now)
        )

    yield TrueCall(
        function="retry_moment",
        arguments={"payment": payment.id},
        is_right=is_right,
        refs=[inputs["payment"]],
    )
