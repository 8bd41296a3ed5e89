"""Records of goods in a shop that a test writes: products, branches with their stock, and baskets.

tarp("TARP-SAND", colour="sand")                        # a product
branch("store-1", "Utrecht Canal", {"TARP-SAND": 4})    # has 4 of it
basket("basket-4", {"TARP-SAND": 2})                    # 2 of it, chosen by cust-7
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from controlplane.benchmarks.ecom.record_store import RecordNames
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.workspace import CallLimits, Roots, Workspace

# Records of people and payments in a shop that a test writes.
#
# employee("emp-4", roles=["packer"])             # works at store-1
# payment("payment-4")                            # 70 euros by the customer cust-7
# returned_goods("return-4", status="approved")   # what payment-4 was for


def employee(employee_id: str, *, roles: list[str]) -> dict[str, Any]:
    """Return the record of a person who works at `store-1`.

    `employee("emp-4", roles=["packer"])` -> `{"id": "emp-4", "roles": ["packer"], ...}`
    """
    return {
        "id": employee_id,
        "display_name": f"Name of {employee_id}",
        "email": f"{employee_id}@shop.example",
        "store_id": "store-1",
        "roles": roles,
    }


def payment(payment_id: str, status: str = "paid") -> dict[str, Any]:
    """Return the record of a payment of 70 euros for `basket-1`, by `cust-7`.

    `payment("payment-4")` -> `{"id": "payment-4", "status": "paid", "amount_cents": 7000, ...}`
    """
    return {
        "id": payment_id,
        "basket_id": "basket-1",
        "customer_id": "cust-7",
        "store_id": "store-1",
        "amount_cents": 7000,
        "currency": "EUR",
        "status": status,
        "created_at": "2028-04-25T16:12:03Z",
    }


def returned_goods(return_id: str, status: str) -> dict[str, Any]:
    """Return the record of goods that `cust-7` has sent back, which `payment-4` was for.

    `returned_goods("return-4", status="approved")` -> `{"id": "return-4", ...}`
    """
    return {
        "id": return_id,
        "customer_id": "cust-7",
        "payment_id": "payment-4",
        "status": status,
        "reason_code": "wrong_size",
        "created_at": "2028-04-28T16:12:03Z",
    }


# A shop that has only the files which a test writes: pages as texts, and records as dicts.
#
#     shop = written_shop({"/proc/carts/basket-4.json": {"id": "basket-4", "status": "active", ...}})
#     shop.call("read", {"path": "/AGENTS.MD"})["content"]  # "Records are below /proc/. ..."
#
# The customer `cust-7` is signed in, unless a test names another user. Today is 2028-05-01.

FILES_OF_EVERY_SHOP = {
    "/AGENTS.MD": "Records are below /proc/. Follow /docs/checkout.md.\n",
    "/docs/checkout.md": "Run `/bin/checkout` for an `active` basket of the `customer_id`.\n"
    "Receipts are uploaded to /uploads.\n",
    "/proc/carts/basket-1.json": '{"id": "basket-1", "customer_id": "cust-7",\n'
    '"store_id": "store-1", "status": "active",\n'
    '"created_at": "2028-04-25T16:12:03Z", "lines": []}',
}
"""Two pages and an empty basket. From these, functions learn where records are, and which fields
they have."""


def written_shop(
    files: Mapping[str, str | dict[str, Any]],
    *,
    user: str = "cust-7",
    roles: tuple[str, ...] = ("customer",),
    most_listed: int = 0,
) -> EcomEnvironment:
    """Return a shop with these files, besides `FILES_OF_EVERY_SHOP`. A dict is written as JSON.

    `user` is signed in, with these roles. One call lists at most `most_listed` paths or lines; 0
    means no limit.
    """
    texts = dict(FILES_OF_EVERY_SHOP)
    for path, content in files.items():
        if isinstance(content, str):
            texts[path] = content
        else:
            texts[path] = json.dumps(content, indent=2)
    workspace = Workspace(
        files=texts,
        directories=(),
        roots=Roots(
            products="/proc/catalogue",
            stores="/proc/branches",
            baskets="/proc/carts",
            payments="/proc/payments",
            returns="/proc/returns",
            employees="/proc/staff",
        ),
        # What `/bin/checkout` prints: "Bought basket-4".
        names=RecordNames(printed={"checked_out": "Bought"}),
        clock=datetime(2028, 5, 1, tzinfo=UTC),
        security_document="/docs/security.md",  # if a test writes this page
        uploads="/uploads",
        user=user,
        roles=roles,
        # A restarted check of a card may be restarted again at once.
        verification_delay=timedelta(0),
        limits=CallLimits(listed=most_listed),
    )
    return EcomEnvironment(workspace)


def tarp(
    sku: str, *, brand: str = "Osier", cents: int = 7000, **properties: Any
) -> dict[str, Any]:
    """Return the record of a product: a tarp in the line Lea of a brand.

    `tarp("TARP-SAND", colour="sand")` -> `{"sku": "TARP-SAND", "name": "Osier Lea tarp", ...}`
    """
    return {
        "sku": sku,
        "name": f"{brand} Lea tarp",
        "brand": brand,
        "kind_id": "kind-tarps",
        "family_id": "fam-lea",
        "price_cents": cents,
        "properties": properties,
    }


def branch(branch_id: str, name: str, stock: Mapping[str, int]) -> dict[str, Any]:
    """Return the record of a branch, with its units by product. A name begins with the city.

    `branch("store-1", "Utrecht Canal", {"TARP-SAND": 4})` ->
    `{"id": "store-1", "name": "Utrecht Canal", "city": "Utrecht", "inventory": [...], ...}`
    """
    inventory = []
    for sku, units in stock.items():
        inventory.append({"sku": sku, "on_hand": units, "reserved": 0})
    city, _, _ = name.partition(" ")
    return {
        "id": branch_id,
        "name": name,
        "city": city,
        "is_open": True,
        "inventory": inventory,
    }


def basket(basket_id: str, quantities: Mapping[str, int]) -> dict[str, Any]:
    """Return the record of a basket of `cust-7` at `store-1`, with its quantities by product.

    `basket("basket-4", {"TARP-SAND": 2})` -> `{"id": "basket-4", "customer_id": "cust-7", ...}`
    """
    lines = []
    for sku, quantity in quantities.items():
        lines.append({"sku": sku, "quantity": quantity})
    return {
        "id": basket_id,
        "customer_id": "cust-7",
        "store_id": "store-1",
        "status": "active",
        "created_at": "2028-04-25T16:12:03Z",
        "lines": lines,
    }
