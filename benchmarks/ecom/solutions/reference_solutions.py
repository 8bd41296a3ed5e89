"""The solution of each family that scores 1.0: a function of a client and the truth, which returns the answer.

A solution reads the files that it cites, makes the changes of the truth and gives its message. Counts and lookups in
one record are worked out from the files that the truth's inputs name, so that other inputs answer another question.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient, Solution
from benchmarks.ecom.tasks.archive import FraudMeasure
from benchmarks.ecom.tasks.dispatch import DispatchMeasure, Plan
from benchmarks.ecom.tasks.products import CONDITIONS
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.shop_records import Stock


def as_told(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the cited files, make the changes, and answer with the truth's message."""
    client.read_cited(truth)
    if truth.call:
        client.run(*truth.call)
        return client.answer(truth, truth.message)
    for path, text in truth.changes.items():
        if text is None:
            client.delete(path)
        else:
            client.write(path, text)
    return client.answer(truth, truth.message)


def record_field(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the field, as the file spells it."""
    return client.answer(truth, str(json.loads(client.read(truth.inputs["path"]))[truth.inputs["name"]]))


def sku_lookup(client: ReferenceClient, truth: Truth) -> Answer:
    """Name the SKU that is meant, or ask which of several."""
    return client.answer(truth, truth.inputs["skus"] if truth.is_exact else truth.message)


def staff_count(client: ReferenceClient, truth: Truth) -> Answer:
    """Count the staff records with the role."""
    inputs = truth.inputs
    staff = [client.record(path) for path in client.files_below(inputs["root"])]
    here = [one for one in staff if inputs["store"] in ("", one["store_id"])]
    return client.answer(truth, str(sum(inputs["role"] in json.dumps(one["roles"]).split('"') for one in here)))


def receipt_rebuy(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare every line with the units that the branch can sell today."""
    inputs = truth.inputs
    bought = {sku: int(count) for sku, _, count in (pair.partition("=") for pair in inputs["bought"].split())}
    free = client.available(inputs["store"], list(bought))
    return client.answer(truth, inputs["yes"] if all(free[sku] >= bought[sku] for sku in bought) else inputs["no"])


def stock_answer(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the branch's stock row, and count incoming stock only if the question does."""
    inputs = truth.inputs
    row = client.stock(inputs["store"]).get(inputs["sku"], Stock(0, 0))
    count = row.within(int(inputs["days"])) if inputs["days"] else row.available
    return client.answer(truth, inputs["yes"] if count >= int(inputs["units"]) else inputs["no"])


def stock_count(client: ReferenceClient, truth: Truth) -> Answer:
    """Count in the branch's own record."""
    inputs = truth.inputs
    rows, holds = client.stock(inputs["store"]), CONDITIONS[inputs["case"]]
    units, days = int(inputs["units"]), int(inputs["days"])
    count = sum(holds(rows.get(sku, Stock(0, 0)), units, days) for sku in inputs["skus"].split())
    return client.answer(truth, inputs["pattern"] % count)


def archive_fraud(client: ReferenceClient, truth: Truth) -> Answer:
    """Cite every row of the incidents and state their total."""
    answer = client.answer(truth, truth.message)
    path, text = truth.inputs["path"], client.read(truth.inputs["path"])
    assert isinstance(truth.measure, FraudMeasure)
    rows = [row for row in truth.measure.rows.weights if row in truth.measure.rows.right]
    customers = {line.split("\t")[0]: line.split("\t")[3] for line in text.splitlines()}
    return replace(answer, citations={f"{path}#row={row}": f"row {row} of {customers[row]} is fraud" for row in rows})


def plan_message(plan: Plan) -> str:
    """Return a plan in the form of an answer."""
    assignments = [
        {"package_id": package, "route": list(route), "priority": priority}
        for package, (priority, route) in sorted(plan.items())
    ]
    return json.dumps({"assignments": assignments})


def dispatch_wave(client: ReferenceClient, truth: Truth) -> Answer:
    """Give the best plan of several solvers."""
    assert isinstance(truth.measure, DispatchMeasure)
    return client.answer(truth, plan_message(truth.measure.best))


SOLVED: Final[Mapping[str, Callable[[ReferenceClient, Truth], Answer]]] = {
    solution.__name__.replace("_", "-"): solution
    for solution in (
        archive_fraud,
        dispatch_wave,
        receipt_rebuy,
        record_field,
        sku_lookup,
        staff_count,
        stock_answer,
        stock_count,
    )
}


def reference_of(name: str) -> Solution:
    """Return the function that solves a family's tasks and returns the answer, without submitting it."""
    return SOLVED.get(name, as_told)
