"""The reference solution of `receipt-rebuy`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare every line with what the branch can sell today."""
    inputs = truth.inputs
    bought = {sku: int(count) for sku, _, count in (each.partition("=") for each in inputs["bought"].split())}
    free = client.available(inputs["store"], list(bought))
    return client.answer(truth, inputs["yes"] if all(free[sku] >= bought[sku] for sku in bought) else inputs["no"])
