"""Tasks about crosslists: tables that answer a competitor's scanned purchase request.

The request asks for 4 units of `Skerry two-person tent; seasons=3`. The crosslist has a row
that names the shop's product with exactly these properties, and how many of the 4 units
the branch can hand over today.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from typing import Final

from controlplane.benchmarks.ecom.tasks.scans.purchase_requests import (
    RequestLine,
    request_text,
)
from controlplane.benchmarks.ecom.tasks.scans.scan_damage import SCANS
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import set_available, some_store
from controlplane.benchmarks.ecom.world.pages import CROSSLIST
from controlplane.benchmarks.ecom.world.records import Delivery, Product, Stock, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World

OPEN_BRANCHES: Final = 0.75
"""The share of crosslists for a branch that is open."""
MATCHING_LINES: Final = 0.65
"""The share of requested lines for which the branch's product has all properties."""
UNITS_TO_SPARE: Final = 4
"""The units that a branch has beyond the requested ones if it has more than enough."""
DELIVERED_UNITS: Final = 6
"""The units of each product that arrive later. They must not be counted."""


@dataclass(frozen=True, slots=True)
class CrosslistRow:
    """A row of a crosslist: a requested line and the branch's answer to it.

    The fields are the columns of the table, in order.
    """

    line_no: int
    competitor_code: str
    requested_description: str
    requested_qty: int
    branch_id: str
    branch_open: str
    match_status: str
    """`exact` or `property_mismatch`."""
    matched_sku: str
    matched_product_name: str
    available_today: int
    fulfillable_qty: int
    short_qty: int
    """The requested units that the branch cannot serve."""
    reason: str


def crosslist(world: World, _case: str) -> Truth:
    """Ask, as an employee, for the crosslist of a scanned request, for one branch.

    Right: write a table with a row for each requested line. If the product has every
    requested specification, the row names it and gives the units that the branch can
    sell today, or 0 if it is closed. Otherwise the row says that the properties differ,
    and that no unit is served.

    Wrong: take a similar product of the family, or count stock that arrives later.
    """
    # 1. Draw the requested lines, and the branch's stock of their products.
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world, is_open=rng.random() < OPEN_BRANCHES)
    lines = _draw_lines(world)
    for line in lines:
        _draw_stock(world, store, line)

    # 2. Add the scanned request, and build the truth with the right table.
    scan_path = world.names.upload(
        "competitor_purchase_request", f"{rng.getrandbits(32):08x}"
    )
    world.files[scan_path] = request_text(world, store, lines)
    table_path = f"/exports/crosslist-{rng.getrandbits(24):06x}.tsv"
    world.directories.append("/exports")
    products = [line.product for line in lines]
    return Truth(
        instruction=world.wording("crosslist", upload=scan_path, path=table_path),
        message=table_path,
        is_exact=True,
        changes={table_path: _crosslist_text(store, lines)},
        must_cite=(scan_path,),
        must_cite_pages=world.page_paths(CROSSLIST),
        may_cite=(table_path, *world.paths(store, *products)),
        for_tests={
            "path": table_path,
            "store": world.path(store),
            "lines": json.dumps([_line_as_data(world, line) for line in lines]),
        },
    )


def _draw_lines(world: World) -> list[RequestLine]:
    """Return the lines of a request, each for another product."""
    rng = world.rng
    possible_products = []
    for product in world.catalogue.products.values():
        if not product.is_digital and _is_unmistakable(world, product):
            possible_products.append(product)
    lines = []
    for product in rng.sample(possible_products, rng.randint(4, 6)):
        is_match = rng.random() < MATCHING_LINES
        lines.append(_draw_line(world, product, is_match=is_match))
    return lines


def _draw_stock(world: World, store: Store, line: RequestLine) -> None:
    """Give the branch units of a line's product: some for sale today, and some that arrive later."""
    rng = world.rng
    none = 0
    one_too_few = line.count - 1  # Also none if one unit is requested.
    just_enough = line.count
    more_than_enough = line.count + UNITS_TO_SPARE
    available = rng.choice((none, one_too_few, just_enough, more_than_enough))
    delivery = Delivery(DELIVERED_UNITS, in_days=rng.randint(1, 4))
    set_available(world, store, line.product.sku, available, incoming=[delivery])


def _crosslist_text(store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the tab-separated table of the right answers, with a header."""
    rows = ["\t".join(column.name for column in fields(CrosslistRow))]
    for number, line in enumerate(lines, start=1):
        row = _crosslist_row(store, number, line)
        rows.append("\t".join(str(cell) for cell in astuple(row)))
    return "".join(f"{row}\n" for row in rows)


def _crosslist_row(store: Store, number: int, line: RequestLine) -> CrosslistRow:
    """Return the right row for a requested line."""
    product = line.product
    match_status = "property_mismatch"
    matched_sku = ""
    matched_product_name = ""
    available = 0
    served = 0
    reason = "mismatch"  # The key of a text that explains the row
    if line.is_match:
        match_status = "exact"
        matched_sku = product.sku
        matched_product_name = product.name
        available = store.inventory.get(product.sku, Stock(0, 0)).available
        if not store.is_open:
            reason = "closed"
        elif available >= line.count:
            reason = "enough"
            served = line.count
        else:
            reason = "short"
            served = available
    return CrosslistRow(
        line_no=number,
        competitor_code=line.competitor_code,
        requested_description=product.name,
        requested_qty=line.count,
        branch_id=store.id,
        branch_open=str(store.is_open).lower(),
        match_status=match_status,
        matched_sku=matched_sku,
        matched_product_name=matched_product_name,
        available_today=available,
        fulfillable_qty=served,
        short_qty=line.count - served,
        reason=SCANS["reasons"][reason],
    )


def _draw_line(world: World, product: Product, *, is_match: bool) -> RequestLine:
    """Return a requested line for a product.

    Unless `is_match`, one requested property is not the product's but that of a sibling,
    another product of its family: `red` although the product is blue.
    """
    rng = world.rng
    count_of_specs = min(len(product.properties), rng.randint(2, 4))
    keys = rng.sample(sorted(product.properties), count_of_specs)
    specs = {key: product.properties[key] for key in keys}
    if not is_match:
        key, value = rng.choice(_properties_of_siblings(world, product))
        specs[key] = value
    code = f"CMP-{rng.getrandbits(24):06X}"
    return RequestLine(code, product, dict(sorted(specs.items())), rng.randint(1, 9))


def _properties_of_siblings(
    world: World, product: Product
) -> list[tuple[str, str | float | bool]]:
    """Return each property of a sibling whose value differs from the product's.

    For example, `("colour", "red")` if the product is blue and its sibling is red.
    """
    differing = []
    for sibling in world.catalogue.family(product.family_id):
        for key in sorted(product.properties):
            own_value = product.properties[key]
            value = sibling.properties.get(key, own_value)
            if value != own_value:
                differing.append((key, value))
    return differing


def _is_unmistakable(world: World, product: Product) -> bool:
    """Return True if a sibling differs by a property, and no sibling's name contains the product's.

    Otherwise a request for the product could be ambiguous.
    """
    if not _properties_of_siblings(world, product):
        return False
    for sibling in world.catalogue.family(product.family_id):
        if sibling is not product and product.name in sibling.name:
            return False
    return True


def _line_as_data(world: World, line: RequestLine) -> dict[str, object]:
    """Return a requested line as the tests need it."""
    return {
        "code": line.competitor_code,
        "path": world.path(line.product),
        "specs": dict(line.specs),
        "count": line.count,
    }
