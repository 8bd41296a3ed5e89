"""Solutions of the tasks about products, prices and stock. Each function solves the family of its name."""

from __future__ import annotations

import json
from datetime import date

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.families.products.inventory_export import table
from benchmarks.ecom.tasks.families.products.stock_count import CONDITIONS
from benchmarks.ecom.tasks.task import CLARIFICATION, OK, Truth
from benchmarks.ecom.world.shop_records import Stock


def export_text(client: ReferenceClient, truth: Truth) -> str:
    inputs = truth.inputs
    rows = client.stock(inputs["store"])
    skus = sorted(str(client.record(path)["sku"]) for path in truth.records if path != inputs["store"])
    days = [date.fromisoformat(each) for each in inputs["header"].split(",")[1:]]
    return table(rows, skus, date.fromisoformat(client.run("date")[:10]), days)


def inventory_export(client: ReferenceClient, truth: Truth) -> Answer:
    """Build the table from the branch's rows and write it."""
    client.write(truth.inputs["path"], export_text(client, truth))
    return client.answer(truth, truth.inputs["path"])


def _count(client: ReferenceClient, truth: Truth, *, is_inclusive: bool) -> int:
    limit = int(truth.inputs["limit"]) + is_inclusive
    return sum(int(str(client.record(path)["price_cents"])) < limit for path in truth.inputs["paths"].split("\n"))


def price_count(client: ReferenceClient, truth: Truth) -> Answer:
    """Count the records below the price."""
    return client.answer(truth, str(_count(client, truth, is_inclusive=False)))


def product_existence(client: ReferenceClient, truth: Truth) -> Answer:
    """Look for the product among those of its line."""
    inputs = truth.inputs
    known = [str(client.record(path)["sku"]) for path in inputs["paths"].split("\n")]
    return client.answer(truth, inputs["yes"] if inputs["fitting"] in known else inputs["no"])


def sku_lookup(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer with the SKU of the only candidate, or ask which one is meant."""
    wanted = truth.inputs["skus"].split()
    skus = [sku for path in truth.records if (sku := str(client.record(path)["sku"])) in wanted]
    if len(skus) == 1:
        return client.answer(truth, skus[0], outcome=OK)
    return client.answer(truth, f"Which one do you mean: {' or '.join(skus)}?", outcome=CLARIFICATION)


def stock_answer(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the branch's stock row, and count incoming stock only if the question does."""
    inputs = truth.inputs
    row = client.stock(inputs["store"]).get(inputs["sku"], Stock(0, 0))
    count = row.within(int(inputs["days"])) if inputs["days"] else row.available
    return client.answer(truth, inputs["yes"] if count >= int(inputs["units"]) else inputs["no"])


def stock_count(client: ReferenceClient, truth: Truth) -> Answer:
    """Count in the branch's own record."""
    inputs = truth.inputs
    rows = client.stock(inputs["store"])
    condition = CONDITIONS[int(inputs["case"])]
    units, days = int(inputs["units"]), int(inputs["days"])
    count = sum(condition.holds(rows.get(sku, Stock(0, 0)), units, days) for sku in inputs["skus"].split())
    return client.answer(truth, inputs["pattern"] % count)


def product_property(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the property as the file shows it."""
    properties = client.record(truth.inputs["path"])["properties"]
    value = properties[truth.inputs["key"]] if isinstance(properties, dict) else ""
    return client.answer(truth, value if isinstance(value, str) else json.dumps(value))
