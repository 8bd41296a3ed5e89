"""The reference solution of `unnamed-basket`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check out the only active basket, or ask which of several is meant."""
    ids = [str(client.record(path)["id"]) for path in truth.inputs["baskets"].split()]
    if len(ids) > 1:
        return client.answer(truth, f"You have several active baskets. Which one: {' or '.join(ids)}?")
    client.run("/bin/checkout", ids[0])
    return client.answer(truth, f"Basket {ids[0]} is checked out.")
