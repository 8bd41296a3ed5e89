"""The reference solution of `refund-closure`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check owner and status, then close or say why not."""
    inputs = truth.inputs
    if client.record(inputs["payment"])["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    if "path" not in inputs:
        return client.answer(truth, truth.message, outcome=UNSUPPORTED)
    status = client.record(inputs["path"])["status"]
    if status != "refund_pending":
        return client.answer(truth, f"The return {inputs['return']} has the status {status}.", outcome=UNSUPPORTED)
    client.run("/bin/refund", "close", inputs["return"])
    return client.answer(truth, f"The refund {inputs['return']} is closed.", outcome=OK)
