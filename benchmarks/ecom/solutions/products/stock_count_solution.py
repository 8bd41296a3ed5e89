"""The reference solution of `stock-count`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.families.products.stock_count import CONDITIONS
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.shop_records import Stock


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Count in the branch's own record."""
    inputs = truth.inputs
    rows = client.stock(inputs["store"])
    condition = CONDITIONS[int(inputs["case"])]
    units, days = int(inputs["units"]), int(inputs["days"])
    count = sum(condition.holds(rows.get(sku, Stock(0, 0)), units, days) for sku in inputs["skus"].split())
    return client.answer(truth, inputs["pattern"] % count)
