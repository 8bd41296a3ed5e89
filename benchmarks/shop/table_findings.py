"""Functions about tables: the fraudulent rows of an export or of the shop's payments, the plan of a dispatch wave."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from benchmarks.shop.kinds import Kind
from benchmarks.shop.workspace import ShopLayout, WorkspaceReader, layout_of, named_branches, text_of
from toolkit import CannotRead, Finding, Reference
from toolkit.dispatch import plan_for_profit, read_lanes, read_packages
from toolkit.fraud import PaymentRow, fraud_in_history, fraud_with_series, read_payments
from toolkit.layout import Data, Shape, keys_of, table_rows
from toolkit.records import Record, folded_id, stem_of
from toolkit.text import amount_text

MOST_PAYMENTS: Final = 200
"""Most payments to read for one finding."""
_CARD: Final = re.compile(r"card|payment_method|\bpm_", re.IGNORECASE)
_DEVICE: Final = re.compile(r"device", re.IGNORECASE)


def payment_history(layout: ShopLayout) -> dict[str, PaymentRow]:
    """Return every payment that the shop's records show, by path.

    Raises `CannotRead` if the asker is not staff, if there are too many, or if their amounts are not certain.
    """
    if not layout.asker.is_staff:
        msg = "only staff may look through the payments of all customers"
        raise CannotRead(msg)
    paths = layout.group(Kind.PAYMENT).paths
    if len(paths) > MOST_PAYMENTS:
        msg = f"there are {len(paths)} payments, more than {MOST_PAYMENTS}: name an export"
        raise CannotRead(msg)
    cities = {folded_id(stem_of(branch.path)): branch.city for branch in named_branches(layout)}
    return {payment.path: _row(payment, cities) for payment in layout.records.read(paths)}


def _row(payment: Record, cities: Mapping[str, str]) -> PaymentRow:
    whole = [key for key in keys_of(payment.data, Shape.NUMBER) if isinstance(payment.data[key], int)]
    if len(whole) != 1:
        msg = f"it is not certain which field of {payment.id} is its amount"
        raise CannotRead(msg)
    return PaymentRow(
        id=payment.id,
        at=datetime.fromisoformat(payment.time),
        customer=payment.owner,
        city=next((cities[name] for link in payment.links() if (name := folded_id(link)) in cities), ""),
        cents=payment.data[whole[0]],
        card=_field_called(payment.data, _CARD),
        device=_field_called(payment.data, _DEVICE),
    )


def _field_called(data: Data, name: re.Pattern[str]) -> str:
    return next((str(value) for key, value in data.items() if name.search(key) and isinstance(value, str)), "")


_TABLE: Final = re.compile(r"(?<![\w/])/[\w./ -]*?[\w-]+\.(?:tsv|csv)\b", re.IGNORECASE)


def fraud_rows(reader: WorkspaceReader, path: str = "") -> Finding[dict[str, Any]]:
    """Return the fraudulent `rows` of an export by id, their `total`, and the `rules` that found them.

    Each row is cited as `PATH#row=ID`. Without a path the shop's own payments are searched, and their records are
    cited. Raises `CannotRead` for a table of another shape.
    """
    if path:
        found = fraud_with_series(read_payments(text_of(reader, path)))
        places = {row.id: f"{path}#row={row.id}" for row in found.rows}
    else:
        history = payment_history(layout_of(reader))
        found = fraud_in_history(list(history.values()))
        places = {row.id: place for place, row in history.items()}
    rows = [{"id": row.id, "cents": row.cents, "customer": row.customer} for row in found.rows]
    value = {
        "rows": rows,
        "total": amount_text(found.total_cents),
        "total_cents": found.total_cents,
        "rules": list(found.rules),
    }
    refs = tuple(Reference(places[row.id], f"row {row.id} of {row.customer} is fraud") for row in found.rows)
    notes = () if refs else ("no row is part of a burst, of a high value or of impossible travel",)
    return Finding(value, refs, notes)


def dispatch_plan(reader: WorkspaceReader, path: str) -> Finding[dict[str, Any]]:
    """Return the plan of a wave with the highest expected gain: `answer` is its JSON.

    `expected_cost_cents` is the cost of trips and lateness, `expected_gain_cents` the margins minus that cost.
    `path` is the wave's document, which names its tables of packages and of lanes.
    """
    named = list(dict.fromkeys(_TABLE.findall(text_of(reader, path))))
    tables = dict(zip(named, reader.read_all(named), strict=True))
    lanes = [table for table in named if any("capacity" in key for row in table_rows(tables[table])[:1] for key in row)]
    packages = [table for table in named if table not in lanes]
    if len(lanes) != 1 or len(packages) != 1:
        msg = f"{path} names no single table of lanes (with a capacity) and one of packages, but {', '.join(named)}"
        raise CannotRead(msg)
    wanted = read_packages(tables[packages[0]])
    plan = plan_for_profit(wanted, read_lanes(tables[lanes[0]]))
    if plan is None:
        msg = f"no lane leads any package of {packages[0]} to its destination"
        raise CannotRead(msg)
    routed = {assignment.package.id: assignment for assignment in plan.assignments}
    rows = [
        {"package_id": name, "route": [lane.id for lane in routed[name].route], "priority": routed[name].priority}
        for name in sorted(routed)
    ]
    left = [package.id for package in wanted if package.id not in routed]
    notes = (f"no route leads to the destination of {', '.join(left)}",) if left else ()
    reasons = {path: "the wave with the paths of its tables", packages[0]: "due times and margins", lanes[0]: "lanes"}
    refs = tuple(Reference(document, f"{why} of the dispatch wave") for document, why in reasons.items())
    value = {
        "answer": json.dumps({"assignments": rows}),
        "expected_cost_cents": round(plan.cost_cents),
        "expected_gain_cents": round(plan.gain_cents),
    }
    return Finding(value, refs, notes)
