"""The calls for "Close the refund of pay_12": whose is the payment, and which return belongs to it?

    may_use(record="pay_12")         -> {"see": True, "change": True, ...}, for its owner only
    linked_records(record="pay_12")  -> [{"kind": "return", "path": "/proc/returns/ret_4.json", ...}]

A *return* is the record of goods that were sent back. A task is a request, with the truth about it.
"""

from collections.abc import Iterator

from controlplane.benchmarks.ecom.tasks.truth import Task
from tests.support.shop.calls.true_calls import TrueCall
from tests.support.shop.generated_tasks import record_at


def refund_closure_calls(task: Task) -> Iterator[TrueCall]:
    """Yield the calls for a request to close the refund of a payment.

    Two things have to be known: whether the payment is the asker's, and which return belongs to it.
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
