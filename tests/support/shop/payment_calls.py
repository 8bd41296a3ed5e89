"""The calls for payments: when one may be tried again, and which return a refund belongs to.

Each function takes a task of its family and yields the calls that serve it, with the truth about
them. `task.truth.for_tests` names the payment, and `task.world.session` is who asks.
"""

from collections.abc import Iterator
from typing import Any

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.generated_tasks import record_at
from tests.support.shop.true_calls import TrueCall


def verification_restart_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the call for a customer whose payment was not verified: when can they try again?

    `retry_moment(payment="pay_12")` returns how often it was tried, and from when on it may be
    tried again; `passed` says whether that time has come:
    `{"attempts": 1, "max_attempts": 3, "retry_at": "2028-08-03T13:57:00Z", "passed": False, ...}`.
    There is no call for another customer's payment, or one that needs no verification.
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


def refund_closure_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a request to close the refund of a payment.

    Two things have to be known: whether the payment is the asker's, and which record of a *return*
    (goods that were sent back) belongs to it.

    - `may_use(record="pay_12")` -> `{"see": True, "change": True, ...}` for its owner only
    - `linked_records(record="pay_12")` ->
      `[{"kind": "return", "path": "/proc/returns/ret_4.json", ...}, ...]`
    """
    # {"payment": "/proc/payments/pay_12.json", "path": "/proc/returns/ret_4.json"}, without "path"
    # if nothing was sent back.
    inputs = task.truth.for_tests
    payment = record_at(task, task.world.payments.values(), inputs["payment"])
    is_own = payment.customer_id == task.world.session.user

    def has_right_permissions(value: dict[str, bool]) -> bool:
        return value["change"] is is_own and value["see"] is is_own

    yield TrueCall(
        function="may_use",
        arguments={"record": payment.id},
        is_right=has_right_permissions,
    )
    if not is_own:
        return

    paths_of_returns: set[str] = set()
    if inputs.get("path"):
        paths_of_returns.add(inputs["path"])

    def has_right_returns(value: list[dict[str, str]]) -> bool:
        # Other kinds of records may be linked to the payment, too.
        found_paths = {record["path"] for record in value if record["kind"] == "return"}
        return found_paths == paths_of_returns

    yield TrueCall(
        function="linked_records",
        arguments={"record": payment.id},
        is_right=has_right_returns,
    )
