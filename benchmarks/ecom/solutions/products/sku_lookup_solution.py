"""The reference solution of `sku-lookup`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import CLARIFICATION, OK, Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer with the SKU of the only candidate, or ask which one is meant."""
    skus = [str(client.record(path)["sku"]) for path in truth.records]
    if len(skus) == 1:
        return client.answer(truth, skus[0], outcome=OK)
    return client.answer(truth, f"Which one do you mean: {' or '.join(skus)}?", outcome=CLARIFICATION)
