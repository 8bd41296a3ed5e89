"""The reference solution of `foreign-basket`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import OK, Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare the basket's owner with the signed-in user and refuse."""
    if client.record(truth.inputs["basket"])["customer_id"] == client.who()["user"]:
        return client.answer(truth, "It is yours.", outcome=OK)
    return client.answer(truth, truth.message)
