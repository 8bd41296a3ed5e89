"""Solutions of the tasks of operations. Each function solves the family of its name from what the world shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.archive.export_rows import ExportRow, parse_export
from benchmarks.ecom.tasks.archive.fraud_detection import fraud_rows
from benchmarks.ecom.tasks.archive.fraud_grading import euros_of
from benchmarks.ecom.tasks.dispatch.transfer_wave import Wave, parse_wave
from benchmarks.ecom.tasks.dispatch.wave_simulation import Plan
from benchmarks.ecom.tasks.dispatch.wave_solver import solve
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.uploads.competitor_request import CLOSED, COLUMNS, ENOUGH, MISMATCH, SHORT
from benchmarks.ecom.world.shop_records import Stock


def crosslist_of(client: ReferenceClient, truth: Truth) -> str:
    """Return the crosslist of the request: what records say of the specs that were asked for."""
    inputs = truth.inputs
    client.read(inputs["upload"])
    branch = client.record(inputs["store"])
    rows = client.stock(inputs["store"])
    table = ["\t".join(COLUMNS)]
    for number, line in enumerate(json.loads(inputs["lines"]), start=1):
        product = client.record(line["path"])
        properties = product["properties"] if isinstance(product["properties"], dict) else {}
        sku, name = str(product["sku"]), str(product["name"])
        is_match = all(properties.get(key) == value for key, value in line["specs"].items())
        free = rows.get(sku, Stock(0, 0)).available if is_match else 0
        served = min(free, line["count"]) if branch["is_open"] else 0
        reason = ENOUGH if free >= line["count"] else SHORT
        reason = (reason if branch["is_open"] else CLOSED) if is_match else MISMATCH
        found = ("exact", sku, name) if is_match else ("property_mismatch", "", "")
        head = (number, line["code"], name, line["count"], branch["id"], str(branch["is_open"]).lower())
        table.append("\t".join(map(str, (*head, *found, free, served, line["count"] - served, reason))))
    return "\n".join(table) + "\n"


def crosslist(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare every line with the record of the product that it describes, and write the report."""
    client.write(truth.inputs["path"], crosslist_of(client, truth))
    return client.answer(truth, truth.inputs["path"])


def export_rows(client: ReferenceClient, truth: Truth) -> list[ExportRow]:
    return parse_export(client.read(truth.inputs["path"]))


def citing(client: ReferenceClient, truth: Truth, rows: Iterable[ExportRow]) -> Answer:
    """Return the answer that cites these rows and states their total."""
    cited = list(rows)
    answer = client.answer(truth, euros_of(sum(row.amount_cents for row in cited)))
    path = truth.inputs["path"]
    reasons = {f"{path}#row={row.row_id}": f"row {row.row_id} of {row.customer_ref} is fraud" for row in cited}
    return replace(answer, citations=reasons or answer.citations)


def archive_fraud(client: ReferenceClient, truth: Truth) -> Answer:
    """Find the incidents in the rows of the export, and cite every row of them."""
    return citing(client, truth, fraud_rows(export_rows(client, truth)))


def wave_of(client: ReferenceClient, truth: Truth) -> Wave:
    inputs = truth.inputs
    return parse_wave(inputs["wave"], client.read(inputs["packages"]), client.read(inputs["lanes"]))


def plan_message(plan: Plan) -> str:
    assignments = [
        {"package_id": package, "route": list(route), "priority": priority}
        for package, (priority, route) in sorted(plan.items())
    ]
    return json.dumps({"assignments": assignments})


def dispatch_wave(client: ReferenceClient, truth: Truth) -> Answer:
    """Plan by local search on expected lateness."""
    return client.answer(truth, plan_message(solve(wave_of(client, truth))))
