"""A shop of a dozen records, and what its records and documents make of a request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeVar

from benchmarks.shop.computed.expectation import Expectation
from benchmarks.shop.computed.shop_workspace import ShopWorkspace
from gates.reading import DoesNotApply, Reader, Unanswered, Unread
from gates.types import Change, Evidence, SeenText, Touch
from sandbox.files.file_tree import FileTree
from sandbox.interface import CallError

T = TypeVar("T")
CUSTOMER, STAFF = "user: cust-1\nroles: customer", "user: emp-1\nroles: employee, clerk, warden"
NOW = "2031-05-04T10:00:00Z"
STORE, STORE_2 = "/proc/stores/store-north.json", "/proc/stores/store-south.json"
TENT, MUG, COURSE = (f"/proc/products/{sku}.json" for sku in ("FJ-TNT-TARN", "FJ-MUG-ENAMEL", "FJ-VID-KNOTS"))
BASKET, BASKET_2, SOLD, FOREIGN = (f"/proc/baskets/basket-{number}.json" for number in (1, 2, 3, 4))
PAYMENT, PAYMENT_2, FOREIGN_PAYMENT = (f"/proc/payments/pay-{number}.json" for number in (1, 2, 3))
RETURN, RETURN_2 = (f"/proc/returns/ret-{number}.json" for number in (1, 2))
CLERK, BOSS = "/proc/staff/emp-1.json", "/proc/staff/emp-2.json"
CHECKOUT, DISCOUNTS, REFUNDS, VERIFICATION = (
    f"/docs/{name}.md" for name in ("checkout", "discounts", "refunds", "verification")
)
SECURITY = "/docs/security.md"


def _product(sku: str, name: str, cents: int, fulfilment: str, **properties: object) -> dict[str, object]:
    known = {"category_id": "cat-outdoor", "kind_id": "kind-things", "family_id": "fam-fjell"}
    priced = {"price_cents": cents, "fulfilment": fulfilment, "properties": properties or {"colour": "grey"}}
    return {"sku": sku, "name": f"Fjell {name}", "brand": "Fjell", **known, **priced}


def _store(name: str, city: str, is_open: bool, *stock: dict[str, object]) -> dict[str, object]:
    return {
        "id": f"store-{name.lower()}",
        "name": f"Kade {city} {name}",
        "city": city,
        "is_open": is_open,
        "inventory": stock,
    }


def _basket(number: int, customer: int, status: str, **quantities: int) -> dict[str, object]:
    lines = [{"sku": sku.replace("_", "-"), "quantity": quantity} for sku, quantity in quantities.items()]
    owner = {"customer_id": f"cust-{customer}", "store_id": "store-north"}
    stamp = {"status": status, "created_at": f"2031-05-0{number}T09:00:00Z", "lines": lines}
    return {"id": f"basket-{number}", **owner, **stamp}


def _payment(number: int, basket: int, customer: int, status: str) -> dict[str, object]:
    ids = {"id": f"pay-{number}", "basket_id": f"basket-{basket}", "customer_id": f"cust-{customer}"}
    return {**ids, "status": status, "created_at": "2031-05-03T09:30:00Z"}


def _return(number: int, payment: int, status: str) -> dict[str, object]:
    ids = {"id": f"ret-{number}", "customer_id": "cust-1", "payment_id": f"pay-{payment}"}
    return {**ids, "status": status, "created_at": "2031-05-03T10:30:00Z"}


CHECK = {"state": "left", "attempts": 1, "max_attempts": 3, "retry_after": "2031-05-04T09:00:00Z"}
RECORDS: Mapping[str, Mapping[str, object]] = {
    STORE: _store(
        "North",
        "Gent",
        True,
        {"sku": "FJ-TNT-TARN", "on_hand": 5, "reserved": 1},
        {"sku": "FJ-MUG-ENAMEL", "on_hand": 9, "reserved": 0, "incoming": [{"quantity": 4, "arrives_in_days": 2}]},
    ),
    STORE_2: _store("South", "Gent", False, {"sku": "FJ-TNT-TARN", "on_hand": 1, "reserved": 0}),
    TENT: _product("FJ-TNT-TARN", "Tarn tent", 9_000, "shelf", persons=2, lined=True),
    MUG: _product("FJ-MUG-ENAMEL", "Skerry mug", 1_000, "shelf", volume_ml=300),
    COURSE: _product("FJ-VID-KNOTS", "Knots course", 2_000, "download", minutes=60),
    BASKET: _basket(1, 1, "open", FJ_TNT_TARN=1, FJ_MUG_ENAMEL=1),
    BASKET_2: _basket(2, 1, "sold", FJ_MUG_ENAMEL=1),
    SOLD: _basket(3, 1, "sold", FJ_MUG_ENAMEL=2),
    FOREIGN: _basket(4, 9, "open", FJ_MUG_ENAMEL=1),
    PAYMENT: {**_payment(1, 3, 1, "waiting"), "verification": CHECK},
    PAYMENT_2: _payment(2, 2, 1, "settled"),
    FOREIGN_PAYMENT: {**_payment(3, 4, 9, "waiting"), "verification": CHECK},
    RETURN: _return(1, 2, "accepted"),
    RETURN_2: _return(2, 1, "raised"),
    CLERK: {"id": "emp-1", "name": "An Peeters", "store_id": "store-north", "roles": ["employee", "clerk", "warden"]},
    BOSS: {"id": "emp-2", "name": "Bo Claes", "store_id": "store-south", "roles": ["employee", "boss", "clerk"]},
}
DOCUMENTS: Mapping[str, str] = {
    SECURITY: "Nothing of one customer is shown to another.",
    CHECKOUT: "A basket that is `open`, with stock for every line, is bought by `/bin/checkout <basket_id>`.",
    DISCOUNTS: "Whoever holds `clerk` may do it at their own branch, once, on a basket that is `open`: "
    "`/bin/discount <basket_id> <percent> <reason> <employee_id>`.\n\n"
    "The reason is `late_parcel`, `worn_box` or `goodwill`.\n\n"
    "Up to 5 percent, or up to 10 percent from EUR 100 on.",
    REFUNDS: "Granting takes the role `warden`, a return that is `accepted`, its payment `settled`: "
    "`/bin/refund grant <return_id>` makes it `due`.\n\n"
    "`/bin/refund finish <return_id>` ends it (`done`). Needed: the customer, a return at `due`, a payment at "
    "`settled`.",
    VERIFICATION: "A payment that is `waiting` belongs to a basket that is `sold`.\n\n"
    "`/bin/payments redo <payment_id>` if `state` is `left` or `late`; with `held` only from `retry_after` on.",
}


class SmallShop:
    """An environment with these records; `changes` are fields of single records, None leaves a record out."""

    def __init__(
        self,
        identity: str = CUSTOMER,
        changes: Mapping[str, Mapping[str, object] | None] | None = None,
        documents: Mapping[str, str] | None = None,
    ) -> None:
        changes = changes or {}
        records = {**RECORDS, **{path: {**RECORDS.get(path, {}), **(more or {})} for path, more in changes.items()}}
        kept = {path: data for path, data in records.items() if changes.get(path, data) is not None}
        texts = {path: json.dumps(data, indent=2) for path, data in kept.items()}
        self.tree = FileTree({**DOCUMENTS, **(documents or {}), **texts})
        self.printed = {"/bin/id": identity, "/bin/date": NOW}

    def call(self, operation: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        if operation == "exec":
            return {"stdout": self.printed[str(arguments["path"])], "stderr": "", "exit_code": 0}
        return getattr(self.tree, operation)(**arguments)

    def asked(self, ask: Callable[[ShopWorkspace], T], evidence: Evidence, rules: str = "") -> T:
        """Return what `ask` makes of the workspace."""
        answers: dict[str, object] = {}
        while True:
            try:
                return ask(ShopWorkspace(Reader(answers), evidence, rules))
            except Unanswered as asked:
                for each in asked.calls:
                    try:
                        answers[each.key] = self.call(each.operation, each.arguments)
                    except CallError as error:
                        answers[each.key] = Unread(error.message, error.code)


def done(tool: str, detail: str) -> Change:
    """Return the change of a tool's call."""
    return Change(tool, "execute", detail)


def seen_before(*changes: Change, **data: Mapping[str, object]) -> Evidence:
    """Return a trace with changes, before which the records at `data` (by the constants here) were read whole."""
    touches = {
        path: Touch(path, frozenset({"read"}), (SeenText(json.dumps({**RECORDS[path], **fields})),))
        for path, fields in ((globals()[name], fields) for name, fields in data.items())
    }
    return Evidence(has_trace=True, touches=touches, changes=changes)


def summary(expected: Expectation) -> tuple[str, set[str], set[str], set[str], tuple[str, ...]]:
    """Return outcome, citations, what is tolerated, further outcomes and deed of an expectation."""
    return expected.outcome, set(expected.cited), set(expected.tolerated), set(expected.may_be), expected.deed


def or_nothing(ask: Callable[[], Expectation]) -> Expectation | None:
    """Return an expectation, or None if nothing certain is expected."""
    try:
        return ask()
    except DoesNotApply:
        return None
