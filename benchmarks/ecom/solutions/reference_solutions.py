"""The solution of each family that scores 1.0: a function of a client and the truth, which returns the answer.

What only has to be looked up is answered from the truth, with its files read; what is decided or changed is worked out
from the records once more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Final

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient, Solution
from benchmarks.ecom.tasks.dispatch import Plan, Wave, parse_wave, solve
from benchmarks.ecom.tasks.posing import family
from benchmarks.ecom.tasks.products import CONDITIONS, inventory_table
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth
from benchmarks.ecom.tasks.uploads import CLOSED, COLUMNS, ENOUGH, MISMATCH, SHORT
from benchmarks.ecom.world.pages import euros
from benchmarks.ecom.world.shop_records import ACTIVE, Stock

OWN_CHANNELS: Final = ("web", "mobile_app", "customer_terminal")
GAP: Final = timedelta(minutes=30)
FEWEST_ROWS: Final = 4
FEWEST_PLACES: Final = 3
Row = Mapping[str, str]
"""A row of an export, by its columns."""


def as_told(client: ReferenceClient, truth: Truth) -> Answer:
    """Answer as the truth has it, after reading what it cites."""
    return client.answer(truth, truth.message)


def with_one_more(basket: dict[str, Any], sku: str) -> dict[str, Any]:
    """Return a basket's data with one more unit of `sku`."""
    lines = [{**line, "quantity": line["quantity"] + (line["sku"] == sku)} for line in basket["lines"]]
    if sku not in [line["sku"] for line in lines]:
        lines.append({"sku": sku, "quantity": 1})
    return {**basket, "lines": lines}


def basket_addition(client: ReferenceClient, truth: Truth) -> Answer:
    """Raise the line or append one."""
    path = truth.inputs["basket"]
    client.save(path, with_one_more(client.record(path), truth.inputs["sku"]))
    return as_told(client, truth)


def basket_checkout(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the basket's status and stock, then run the tool or refuse."""
    inputs = truth.inputs
    basket = client.record(inputs["basket"])
    wanted = {str(line["sku"]): int(str(line["quantity"])) for line in client.rows(basket, "lines")}
    stock = client.available(inputs["store"], list(wanted))
    products = map(client.record, inputs["products"].splitlines())
    downloads = {str(data["sku"]) for data in products if data["fulfilment"] == "download"}
    short = [sku for sku, count in wanted.items() if sku not in downloads and stock[sku] < count]
    if basket["status"] == ACTIVE and not short:
        client.run("checkout", inputs["id"])
        return client.answer(truth, f"Basket {inputs['id']} is checked out.", outcome=OK)
    reason = f"not enough of {', '.join(short)}" if short else f"it is {client.names.state(str(basket['status']))}"
    return client.answer(truth, f"Basket {inputs['id']} cannot be checked out: {reason}.", outcome=UNSUPPORTED)


def unnamed_basket(client: ReferenceClient, truth: Truth) -> Answer:
    """Check out the only active basket, or ask which of several is meant."""
    ids = [str(client.record(path)["id"]) for path in truth.inputs["baskets"].split()]
    if len(ids) == 1:
        client.run("checkout", ids[0])
    return as_told(client, truth)


def receipt_rebuy(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare every line with what the branch can sell today."""
    inputs = truth.inputs
    bought = {sku: int(count) for sku, _, count in (pair.partition("=") for pair in inputs["bought"].split())}
    free = client.available(inputs["store"], list(bought))
    return client.answer(truth, inputs["yes"] if all(free[sku] >= bought[sku] for sku in bought) else inputs["no"])


def receipt_reprice(client: ReferenceClient, truth: Truth) -> Answer:
    """Add up today's prices and compare them with the old subtotal."""
    inputs = truth.inputs
    lines = [line.split("\t") for line in inputs["bought"].split("\n")]
    now = sum(int(str(client.record(path)["price_cents"])) * int(count) for path, count in lines)
    is_within = abs(now - int(inputs["before"])) <= int(inputs["limit"])
    return client.answer(truth, inputs["yes"] if is_within else inputs["no"])


def give_discount(client: ReferenceClient, truth: Truth, percent: int, issuer: str) -> Answer:
    """Give a discount and report it."""
    inputs = truth.inputs
    client.run("discount", inputs["basket"], str(percent), inputs["reason"], issuer)
    return client.answer(truth, f"{inputs['basket']} has {percent} percent off now ({inputs['reason']}).")


def discount_grant(client: ReferenceClient, truth: Truth) -> Answer:
    """Give the discount in the name of the signed-in employee."""
    return give_discount(client, truth, int(truth.inputs["percent"]), client.who()["user"])


def refund_approval(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the role and the return's status, then approve or say why not."""
    role = truth.inputs["role"]
    if role not in client.who()["roles"].split(", "):
        return client.answer(truth, f"Approving a refund takes the role {role}.", outcome=DENIED)
    return _refund_step(client, truth, "approve", "approved", "refund_pending")


def refund_closure(client: ReferenceClient, truth: Truth) -> Answer:
    """Check owner and status, then close or say why not."""
    inputs = truth.inputs
    if client.record(inputs["payment"])["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    if "path" not in inputs:
        return client.answer(truth, truth.message, outcome=UNSUPPORTED)
    return _refund_step(client, truth, "close", "refund_pending", "closed")


def _refund_step(client: ReferenceClient, truth: Truth, verb: str, before: str, after: str) -> Answer:
    entered, word = truth.inputs["return"], client.names.word
    status = client.record(truth.inputs["path"])["status"]
    if status != before:
        return client.answer(truth, f"{entered} has the status {word(status)}.", outcome=UNSUPPORTED)
    client.run("refund", client.names.verb(verb), entered)
    return client.answer(truth, f"Return {entered} is {word(after)} now.", outcome=OK)


def _obstacle(payment: Mapping[str, object], now: str, names: RecordNames) -> str:
    """Return what prevents a restart, or an empty string."""
    if payment["status"] != "awaiting_verification":
        return f"the payment has the status {names.word(payment['status'])}"
    verification = payment["verification"]
    if not isinstance(verification, dict):
        return "there is no verification"
    if verification["attempts"] >= verification["max_attempts"]:
        return f"the limit of {verification['max_attempts']} attempts is reached"
    if verification["state"] == "challenge_open" and now < verification["retry_after"]:
        return f"it may be restarted from {verification['retry_after']} on"
    return ""


def verification_restart(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the conditions by the world's clock, then restart or name the obstacle."""
    payment = client.record(truth.inputs["payment"])
    if payment["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    obstacle = _obstacle(payment, client.run("date").strip(), client.names)
    if obstacle:
        return client.answer(truth, f"Not possible: {obstacle}.", outcome=UNSUPPORTED)
    client.run("payments", client.names.verb("restart"), truth.inputs["id"])
    return client.answer(truth, f"The verification of {truth.inputs['id']} has been restarted.", outcome=OK)


def date_in(client: ReferenceClient, days: int, pattern: str) -> str:
    """Return the date some days from the world's today."""
    return (date.fromisoformat(client.run("date")[:10]) + timedelta(days)).strftime(pattern)


def calendar_date(client: ReferenceClient, truth: Truth) -> Answer:
    """Count from `/bin/date`."""
    return client.answer(truth, date_in(client, int(truth.inputs["days"]), truth.inputs["pattern"]))


def record_field(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the field, as the file spells it."""
    return client.answer(truth, str(json.loads(client.read(truth.inputs["path"]))[truth.inputs["name"]]))


def open_branches(client: ReferenceClient, truth: Truth) -> Answer:
    """Read every branch of the city."""
    records = [client.record(path) for path in truth.records]
    return client.answer(truth, "\n".join(sorted(str(store["name"]) for store in records if store["is_open"])))


def staff_count(client: ReferenceClient, truth: Truth) -> Answer:
    """Count the staff records with the role."""
    inputs = truth.inputs
    staff = [client.record(path) for path in client.files_below(inputs["root"])]
    here = [one for one in staff if inputs["store"] in ("", one["store_id"])]
    return client.answer(truth, str(sum(inputs["role"] in json.dumps(one["roles"]).split('"') for one in here)))


def files_below(client: ReferenceClient, root: str, suffix: str) -> list[str]:
    """Return the files below a directory whose names end so."""
    return [path for path in client.files_below(root) if path.endswith(suffix)]


def temporary_files(client: ReferenceClient, truth: Truth) -> Answer:
    """Find the files, delete them and list them."""
    paths = files_below(client, truth.inputs["root"], truth.inputs["suffix"])
    for path in paths:
        client.delete(path)
    return client.answer(truth, "\n".join(paths))


def export_text(client: ReferenceClient, truth: Truth) -> str:
    """Return the inventory export that a request wants."""
    inputs = truth.inputs
    rows = client.stock(inputs["store"])
    skus = sorted(str(client.record(path)["sku"]) for path in truth.records if path != inputs["store"])
    days = [date.fromisoformat(day) for day in inputs["header"].split(",")[1:]]
    return inventory_table(rows, skus, date.fromisoformat(client.run("date")[:10]), days)


def inventory_export(client: ReferenceClient, truth: Truth) -> Answer:
    """Build the table from the branch's rows and write it."""
    client.write(truth.inputs["path"], export_text(client, truth))
    return as_told(client, truth)


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
    return as_told(client, truth)


def export_rows(client: ReferenceClient, truth: Truth) -> list[Row]:
    """Return the rows of an archived export."""
    header, *lines = [line.split("\t") for line in client.read(truth.inputs["path"]).splitlines() if line]
    return [dict(zip(header, line, strict=False)) for line in lines]


def fraud_rows(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that belong to incidents, in their order.

    An incident is a chain of payments on customers' own channels, each within half an hour of the one before: of one
    customer over several cities, or of one device for several customers.
    """
    every = list(rows)
    own = sorted(
        (row for row in every if row["archive_channel"] in OWN_CHANNELS),
        key=lambda row: (row["created_at"], row["row_id"]),
    )
    found = {row["row_id"] for row in _runs(own, "customer_ref", "store_city")}
    found |= {row["row_id"] for row in _runs(own, "device_fingerprint", "customer_ref")}
    return [row for row in every if row["row_id"] in found]


def _runs(rows: Iterable[Row], actor: str, place: str) -> Iterator[Row]:
    """Yield the rows of every chain of one actor that is long enough and passes through enough places."""
    chains: dict[str, list[list[Row]]] = {}
    for row in rows:
        found = chains.setdefault(row[actor], [[]])
        moments = [datetime.fromisoformat(each["created_at"]) for each in (*found[-1][-1:], row)]
        if moments[-1] - moments[0] > GAP:
            found.append([])
        found[-1].append(row)
    for found in chains.values():
        for chain in found:
            if len(chain) >= FEWEST_ROWS and len({row[place] for row in chain}) >= FEWEST_PLACES:
                yield from chain


def citing(client: ReferenceClient, truth: Truth, rows: Iterable[Row]) -> Answer:
    """Return the answer that cites these rows and states their total."""
    cited, path = list(rows), truth.inputs["path"]
    answer = client.answer(truth, euros(sum(int(row["amount_cents"]) for row in cited)))
    reasons = {f"{path}#row={row['row_id']}": f"row {row['row_id']} of {row['customer_ref']} is fraud" for row in cited}
    return replace(answer, citations=reasons or answer.citations)


def archive_fraud(client: ReferenceClient, truth: Truth) -> Answer:
    """Find the incidents in the rows of the export, and cite every row of them."""
    return citing(client, truth, fraud_rows(export_rows(client, truth)))


def wave_of(client: ReferenceClient, truth: Truth) -> Wave:
    """Return the wave of a task's tables."""
    inputs = truth.inputs
    return parse_wave(inputs["wave"], client.read(inputs["packages"]), client.read(inputs["lanes"]))


def plan_message(plan: Plan) -> str:
    """Return a plan as the answer states it."""
    assignments = [
        {"package_id": package, "route": list(route), "priority": priority}
        for package, (priority, route) in sorted(plan.items())
    ]
    return json.dumps({"assignments": assignments})


def dispatch_wave(client: ReferenceClient, truth: Truth) -> Answer:
    """Plan by local search on expected lateness."""
    return client.answer(truth, plan_message(solve(wave_of(client, truth))))


SOLVED: Final[Mapping[str, Callable[[ReferenceClient, Truth], Answer]]] = {
    solution.__name__.replace("_", "-"): solution
    for solution in (
        archive_fraud,
        basket_addition,
        basket_checkout,
        calendar_date,
        crosslist,
        discount_grant,
        dispatch_wave,
        inventory_export,
        open_branches,
        receipt_rebuy,
        receipt_reprice,
        record_field,
        refund_approval,
        refund_closure,
        staff_count,
        stock_answer,
        stock_count,
        temporary_files,
        unnamed_basket,
        verification_restart,
    )
}


def reference_of(name: str) -> Solution:
    """Return the function that solves a family's tasks and returns the answer, without submitting it.

    Raises `KeyError` for an unknown name.
    """
    family(name)
    return SOLVED.get(name, as_told)
