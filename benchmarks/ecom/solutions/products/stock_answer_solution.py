"""The reference solution of `stock-answer`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.shop_records import Stock


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the branch's stock row, and count incoming stock only if the question does."""
    inputs = truth.inputs
    row = client.stock(inputs["store"]).get(inputs["sku"], Stock(0, 0))
    count = row.within(int(inputs["days"])) if inputs["days"] else row.available
    return client.answer(truth, inputs["yes"] if count >= int(inputs["units"]) else inputs["no"])
