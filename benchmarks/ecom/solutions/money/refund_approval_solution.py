"""The reference solution of `refund-approval`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the role and the return's status, then approve or say why not."""
    inputs = truth.inputs
    if inputs["role"] not in client.who()["roles"].split(", "):
        return client.answer(truth, f"Approving a refund takes the role {inputs['role']}.", outcome=DENIED)
    status = client.record(inputs["path"])["status"]
    if status != "approved":
        return client.answer(truth, f"{inputs['return']} has the status {status}.", outcome=UNSUPPORTED)
    client.run("/bin/refund", "approve", inputs["return"])
    return client.answer(truth, f"Return {inputs['return']} is refund_pending now.", outcome=OK)
