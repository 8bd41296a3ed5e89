"""The reference solution of `inventory-export`."""

from __future__ import annotations

from datetime import date

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.families.products.inventory_export import table
from benchmarks.ecom.tasks.task import Truth


def export_text(client: ReferenceClient, truth: Truth) -> str:
    inputs = truth.inputs
    rows = client.stock(inputs["store"])
    skus = sorted(str(client.record(path)["sku"]) for path in truth.records if path != inputs["store"])
    days = [date.fromisoformat(each) for each in inputs["header"].split(",")[1:]]
    return table(rows, skus, date.fromisoformat(client.run("/bin/date")[:10]), days)


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Build the table from the branch's rows and write it."""
    client.write(truth.inputs["path"], export_text(client, truth))
    return client.answer(truth, truth.inputs["path"])
