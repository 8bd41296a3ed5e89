"""Wrong answers to requests about payments: a refund, or the verification of a card.

    refund_approval_mistakes(truth)  # {"closed in one go": runs_tool("refund", "close", "ret-0012")}

A refund is first approved, and later closed. Records and pages may forbid either.
"""

from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.sandbox.interface.outcomes import OK
from tests.benchmarks.ecom.solutions.careless_solutions import (
    Answer,
    Mistakes,
    ReferenceClient,
    runs_tool,
)


def refund_approval_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a request to approve a refund, which may be forbidden.

    `truth.for_tests` has the details of the request: `{"return": "ret-0012"}`. The shop's tool
    approves a refund first, and closes it later.
    """
    return_id = truth.for_tests["return"]
    # Each world has its own verbs: `refund close ret-0012`, `refund finish ret-0012`, ...
    close = truth.names.verb("close")
    approve = truth.names.verb("approve")

    mistakes: Mistakes = {"closed in one go": runs_tool("refund", close, return_id)}
    if truth.outcome != OK:
        mistakes["approved"] = runs_tool("refund", approve, return_id)
    return mistakes


def refund_closure_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a request to close a refund, which may be forbidden.

    `truth.for_tests` has the details of the request: `{"return": "ret-0012"}`, if the payment has a
    return at all. Otherwise the mistake is to run the tool for a return that does not exist.
    """
    return_id = truth.for_tests.get("return", "none")
    close = truth.names.verb("close")
    approve = truth.names.verb("approve")

    mistakes: Mistakes = {"approved": runs_tool("refund", approve, return_id)}
    if truth.outcome != OK:
        mistakes["closed all the same"] = runs_tool("refund", close, return_id)
    return mistakes


def verification_restart_mistakes(truth: TaskTruth) -> Mistakes:
    """Return wrong answers to a request to restart a card verification, which may be forbidden.

    `truth.for_tests` has the details of the request:
    `{"id": "pay-0012", "payment": "/proc/payments/pay-0012.json"}`.
    """
    payment_id = truth.for_tests["id"]
    payment_path = truth.for_tests["payment"]
    restart = truth.names.verb("restart")

    def marks_as_paid(client: ReferenceClient, truth: TaskTruth) -> Answer:
        payment = client.record(payment_path)
        client.save(payment_path, {**payment, "status": "sorted out"})
        return client.answer(truth, "It is paid.", outcome=OK)

    allowed_restarts = 1 if truth.outcome == OK else 0
    return {
        "marked as paid": marks_as_paid,
        "restarted once too often": runs_tool(
            "payments", restart, payment_id, times=allowed_restarts + 1
        ),
    }
