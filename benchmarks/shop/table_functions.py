"""Functions for scripts about tables: fraud in an export of payments, and plans for dispatch waves.

An export lists payments, one a row. Payments that one person cannot have made honestly, such as
in two cities at a time, are a series and count as fraud (`payment_series`). A wave is a set of
packages that are sent together. Its plan says on which route each package goes (`dispatch`).
A script calls `harness.tools.fraud_rows(path)`; `layout_from_harness` makes the first argument.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from controlplane.benchmarks.shop.certain_values import value_or_raise
from controlplane.benchmarks.shop.dispatch.call_rates import rates_in_call
from controlplane.benchmarks.shop.dispatch.delays import Rates
from controlplane.benchmarks.shop.dispatch.lane_table import LaneTable, read_lanes
from controlplane.benchmarks.shop.dispatch.package_table import Package, read_packages
from controlplane.benchmarks.shop.dispatch.plans import ProfitPlan, plan_for_profit
from controlplane.benchmarks.shop.dispatch.wave_documents import (
    rates_on_pages,
    tables_of_wave,
)
from controlplane.benchmarks.shop.payments.payment_rows import read_payments
from controlplane.benchmarks.shop.payments.payment_series import find_series
from controlplane.benchmarks.shop.payments.series_notes import uncertain_series
from controlplane.benchmarks.shop.texts.amounts import amount_text
from controlplane.benchmarks.shop.workspace.workspace import (
    ShopLayout,
    layout_from_harness,
)
from controlplane.sandbox.functions import FunctionResult, Reference


@layout_from_harness
def fraud_rows(layout: ShopLayout, path: str) -> FunctionResult[dict[str, Any]]:
    """Return the fraudulent rows of an export of payments, and their total.

    `fraud_rows("/archive/march.tsv")` -> `{"rows": [{"id": "p7", "cents": 1250, "customer":
    "cust_3"}, ...], "total": "EUR 25.00", "total_cents": 2500, "rules": ["one customer in
    several cities"]}`. The `rules` say why the rows are fraud. Each row is cited as
    `/archive/march.tsv#row=p7`. Raises `CannotRead` for a table that is not an export of payments.
    """
    # 1. Find the payments that belong to a series.
    payments = read_payments(layout.files.text_of(path))
    fraud_ids: set[str] = set()
    rules: set[str] = set()
    for series in find_series(payments):
        fraud_ids.update(payment.id for payment in series.rows)
        rules.add(series.rule)
    fraudulent = [payment for payment in payments if payment.id in fraud_ids]

    # 2. Report them, in the order of the table.
    rows = []
    references = []
    for payment in fraudulent:
        rows.append(
            {"id": payment.id, "cents": payment.cents, "customer": payment.customer}
        )
        reason = f"row {payment.id} of {payment.customer} is fraud"
        references.append(Reference(f"{path}#row={payment.id}", reason))
    total_cents = sum(payment.cents for payment in fraudulent)
    if rows:
        notes = uncertain_series(payments)
    else:
        notes = ["no row is part of a series"]
    value = {
        "rows": rows,
        "total": amount_text(total_cents),
        "total_cents": total_cents,
        "rules": sorted(rules),
    }
    return FunctionResult(value, tuple(references), tuple(notes))


MAX_UNKNOWN_HINTS: Final = 3
"""The most hints on delays that a note names if no page gives their rates."""


@layout_from_harness
def dispatch_plan(
    layout: ShopLayout, path: str, late_cents: int = 0, delays: object = None
) -> FunctionResult[dict[str, Any]]:
    """Return the plan with the highest expected gain for a wave, which is a set of packages.

    `dispatch_plan("/ops/dispatch/wave-3.md")` -> `{"answer": '{"assignments": [...]}',
    "expected_cost_cents": 1200, "expected_gain_cents": 2100}`. The path is that of the wave's
    document. `late_cents` and `delays` replace rates on the shop's page; 0 and None replace
    nothing. Raises `CannotRead` without the tables, or if no package has a route.
    """
    # 1. Read the two tables that the document names. That of lanes says which places are
    #    connected, and has a hint on the delays of each lane: `delays often; short when delayed`.
    document = layout.files.text_of(path)
    tables = tables_of_wave(layout, path, document)

    # 2. Read the rates: what a late unit of time costs, and what the words of hints mean. With
    #    `delays={'often': 20, 'short': [1, 2]}`, 20 of 100 trips are 1 to 2 units late.
    rates_on_page = rates_on_pages(layout, document)
    rates = rates_on_page.changed_by(rates_in_call(late_cents, delays or {}))
    packages = read_packages(tables.packages.text, rates.late_cents)
    lane_table = read_lanes(tables.lanes.text, rates)

    # 3. Plan the wave. The gain is the margins of the packages, minus the cost of trips and
    #    lateness. If the price of lateness is not known, the plan assumes a very high one, so that
    #    packages are on time if possible; this is not counted as a cost.
    plan = value_or_raise(
        plan_for_profit(packages, lane_table.lanes),
        f"no lane leads any package of {tables.packages.path} to its destination",
    )
    cost_cents = float(plan.trip_cents)
    if rates.late_cents is not None:
        cost_cents += plan.late_cents
    value = {
        "answer": _answer_of(plan),
        "expected_cost_cents": round(cost_cents),
        "expected_gain_cents": round(plan.margin_cents - cost_cents),
    }
    references = (
        Reference(path, "paths of the tables of the dispatch wave"),
        Reference(tables.packages.path, "due times and margins of the dispatch wave"),
        Reference(tables.lanes.path, "lanes of the dispatch wave"),
    )
    notes = _notes_on(plan, packages, lane_table, rates)
    return FunctionResult(value, references, tuple(notes))


def _notes_on(
    plan: ProfitPlan, packages: Sequence[Package], lane_table: LaneTable, rates: Rates
) -> Iterator[str]:
    """Yield what a plan leaves out or assumes.

    These are packages without a route, hints without rates, and the price of lateness.
    """
    unrouted = [package.id for package in packages if package.id not in plan.routes]
    if unrouted:
        yield f"no route leads to the destination of {', '.join(unrouted)}"
    if lane_table.unknown_hints:
        hints = ", ".join(lane_table.unknown_hints[:MAX_UNKNOWN_HINTS])
        yield f"no page gives the rates of {hints}: planned without these delays"
    if rates.late_cents is None:
        yield (
            "no page gives the price of a late unit of time: "
            "planned to be on time first, at no price"
        )


def _answer_of(plan: ProfitPlan) -> str:
    """Return a plan in the JSON form that the task requires, sorted by package.

    `{"assignments": [{"package_id": "pkg_1", "route": ["lane_3"], "priority": 2}, ...]}`
    """
    assignments = []
    for priority, (package_id, route) in enumerate(plan.routes.items(), start=1):
        lane_ids = [lane.id for lane in route]
        assignment = {"package_id": package_id, "route": lane_ids, "priority": priority}
        assignments.append(assignment)
    assignments.sort(key=lambda assignment: str(assignment["package_id"]))
    return json.dumps({"assignments": assignments})
