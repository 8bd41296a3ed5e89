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
