"""The task to answer a competitor's scanned purchase request with a table, the crosslist."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from textwrap import wrap
from typing import Final, NamedTuple

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.scans import SCANS, row_of_dashes, rubbish_rows
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth
from controlplane.benchmarks.ecom.world.pages import CROSSLIST
from controlplane.benchmarks.ecom.world.purchases import set_available, some_store
from controlplane.benchmarks.ecom.world.records import (
    Delivery,
    SoldProduct,
    Stock,
    Store,
)
from controlplane.benchmarks.ecom.world.world import World, sign_in_employee, table_text

# Purchase requests of a competitor: papers that ask for products by its own codes.
#
# Each line has a quantity, the competitor's code, a product's name and specifications:
# `specs: capacity=2; waterproof=true`. It may be served only by a product with exactly these
# specifications. The request comes as the scan of a paper with little wear.


@dataclass(frozen=True, slots=True)
class _RequestLine:
    """One line of a purchase request."""

    competitor_code: str
    """The competitor's code for the product, such as `CMP-0A12F4`. It is not an SKU of the shop."""
    product: SoldProduct
    """The product that the line names."""
    specs: Mapping[str, str | float | bool]
    """The requested specifications: `{"capacity": 2}`. The product may differ from them."""
    count: int

    @property
    def is_match(self) -> bool:
        """True if the product has every requested specification."""
        for key, value in self.specs.items():
            if self.product.properties.get(key) != value:
                return False
        return True


_LINE_WIDTH: Final = 60
_INDENT_BELOW_NAME: Final = " " * 27
"""Where the further rows of a long name begin."""
_INDENT_BELOW_FIRST_SPEC: Final = " " * 13
"""Where the further rows of long specifications begin."""

# How purchase requests are scanned:
_REQUEST_WEAR: Final = 0.6
"""How worn the paper is, from 0 to 1. In these scans, it damages only the rows of dashes."""
_CHANCE_OF_NAME_IN_CAPITALS: Final = 0.3
_CHANCE_OF_SPECS_IN_CAPITALS: Final = 0.25
_CHANCE_OF_NOTE_BELOW_LINE: Final = 0.2
_CHANCE_OF_RUBBISH_BELOW_HEADING: Final = 0.4
_CHANCE_OF_RUBBISH_BELOW_LINE: Final = 0.15
"""It is lower than below the heading, because a request has several lines."""


def request_text(world: World, store: Store, lines: Sequence[_RequestLine]) -> str:
    """Return the scan of a purchase request, which has these lines, for one branch.

    Digits and names are always right. Case, line breaks and rows of dashes may be damaged.
    """
    rng = world.rng
    # The name of each branch begins with that of the company.
    company = store.name.split()[0]
    rows = [
        "            HALVORSEN TENDER DESK",
        "             PROCUREMENT REQUEST",
        row_of_dashes(rng, _REQUEST_WEAR),
        f"Request PR-{rng.getrandbits(32):08X}      Date {world.clock.date()}",
        f"BUYER   {rng.choice(SCANS['buyers'])}",
        f"{company} target branch: {store.name}",
    ]
    rows += rubbish_rows(rng, _CHANCE_OF_RUBBISH_BELOW_HEADING)
    rows += [
        f"TARGET AREA: {store.street} {store.city}".upper(),
        row_of_dashes(rng, _REQUEST_WEAR),
        "Line Qty   Competitor      Requested item / properties",
    ]
    for number, line in enumerate(lines, start=1):
        rows += _request_rows(rng, number, line)
    rows += [
        row_of_dashes(rng, _REQUEST_WEAR),
        f"Total requested lines: {len(lines)}",
        f"Total requested units: {sum(line.count for line in lines)}",
        "Memo: competitor codes are no SKUs of the branch.",
        "Memo: serve only the exact same specification.",
    ]
    return "\n".join(rows) + "\n"


def _request_rows(rng: Random, number: int, line: _RequestLine) -> list[str]:
    """Return the rows for one line of a purchase request: code and name, then specifications.

    1    4     CMP-0A12F4      Skerry two-person tent
          specs: capacity=2; waterproof=true
    """
    name = line.product.name
    # Compared in this way, not with `<`, so that each seed keeps its tasks.
    is_name_in_capitals = rng.random() >= 1 - _CHANCE_OF_NAME_IN_CAPITALS
    if is_name_in_capitals:
        name = name.upper()
    head = f"{number}    {line.count}     {line.competitor_code}      {name}"
    rows = wrap(head, _LINE_WIDTH, subsequent_indent=_INDENT_BELOW_NAME)

    shown_specs = []
    for key, value in line.specs.items():
        shown_value = json.dumps(value) if isinstance(value, bool) else value
        shown_specs.append(f"{key.replace('_', ' ')}={shown_value}")
    specs = "specs: " + "; ".join(shown_specs)
    are_specs_in_capitals = rng.random() < _CHANCE_OF_SPECS_IN_CAPITALS
    if are_specs_in_capitals:
        specs = specs.upper()
    rows += wrap(
        f"      {specs}",
        _LINE_WIDTH,
        subsequent_indent=_INDENT_BELOW_FIRST_SPEC,
        break_on_hyphens=False,
    )
    has_note = rng.random() < _CHANCE_OF_NOTE_BELOW_LINE
    if has_note:
        rows.append("      note:  verify exact specification before substituting")
    rows += rubbish_rows(rng, _CHANCE_OF_RUBBISH_BELOW_LINE)
    return rows


# The rows of a crosslist: a table that answers a competitor's purchase request line by line.
#
# A line asks for 4 units, and the branch can sell 3 of exactly this product today. So the row
# names the product, and has 3 fulfillable units, 1 short unit and the reason. If the product
# differs from the request in one property, the row has no product and no units.


class _CrosslistRow(NamedTuple):
    """A row of a crosslist: a requested line and the branch's answer to it.

    The fields are the columns of the table, in order.
    """

    line_no: int
    competitor_code: str
    """The competitor's code for the product, such as `CMP-0A12F4`."""
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


def _crosslist_row(store: Store, number: int, line: _RequestLine) -> _CrosslistRow:
    """Return the right row for a requested line, which is the line with this number.

    Only a product with all requested specifications is served, and only by an open branch.
    """
    product = line.product
    match_status = "property_mismatch"
    matched_sku = ""
    matched_product_name = ""
    available = 0
    fulfillable = 0
    reason = "mismatch"  # The key of a text that explains the row
    if line.is_match:
        match_status = "exact"
        matched_sku = product.sku
        matched_product_name = product.name
        stock = store.inventory.get(product.sku, Stock(on_hand=0, reserved=0))
        available = stock.available
        if not store.is_open:
            reason = "closed"
        elif available >= line.count:
            reason = "enough"
            fulfillable = line.count
        else:
            reason = "short"
            fulfillable = available
    return _CrosslistRow(
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
        fulfillable_qty=fulfillable,
        short_qty=line.count - fulfillable,
        reason=SCANS["reasons"][reason],
    )


# The lines of a competitor's purchase request, drawn from the shop's catalogue.
#
# A line names a product and some properties: `Skerry two-person tent; seasons=3`. In about a
# third of the lines, one property is that of a sibling, another product of the same family.
# Then the shop has no exact match.

_MATCHING_LINES: Final = 0.65
"""The share of requested lines for which the branch's product has all properties."""


def _draw_requested_lines(world: World) -> list[_RequestLine]:
    """Return the lines of a request, each for another product."""
    rng = world.rng
    possible_products = []
    for product in world.catalogue.products.values():
        if not product.is_digital and _is_unmistakable(world, product):
            possible_products.append(product)
    lines = []
    for product in rng.sample(possible_products, rng.randint(4, 6)):
        is_match = rng.random() < _MATCHING_LINES
        lines.append(_draw_line(world, product, is_match=is_match))
    return lines


def _is_unmistakable(world: World, product: SoldProduct) -> bool:
    """Return True if a request for a product can be made so that it means only this product.

    A sibling (a product of the same family) must differ by a property, and no sibling's
    name may contain the product's: not `Skerry tent` beside `Skerry tent XL`.
    """
    if not _properties_of_siblings(world, product):
        return False
    for sibling in world.catalogue.family(product.family_id):
        if sibling is not product and product.name in sibling.name:
            return False
    return True


def _draw_line(world: World, product: SoldProduct, *, is_match: bool) -> _RequestLine:
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
    return _RequestLine(code, product, dict(sorted(specs.items())), rng.randint(1, 9))


def _properties_of_siblings(
    world: World, product: SoldProduct
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


# The task to write a crosslist: a table that answers a competitor's scanned request.
#
# The request asks for 4 units of `Skerry two-person tent; seasons=3`. The crosslist has a row
# that names the shop's product with exactly these properties, and how many of the 4 units
# the branch can hand over today.

_OPEN_BRANCHES: Final = 0.75
"""The share of crosslists for a branch that is open."""
_UNITS_TO_SPARE: Final = 4
"""The units that a branch has beyond the requested ones if it has more than enough."""
_DELIVERED_UNITS: Final = 6
"""The units of each product that arrive later. They must not be counted."""


def _crosslist(world: World, _case: str) -> TaskTruth:
    """Ask, as an employee, for the crosslist of a scanned request, for one branch.

    Right: write a table with a row for each requested line. If the product has every
    requested specification, the row names it and gives the units that the branch can
    sell today, or 0 if it is closed. Otherwise the row says that the properties differ,
    and that no unit is served.

    Wrong: take a similar product, such as the same tent for four seasons, or count stock
    that arrives later. There is only one case.
    """
    # 1. Draw the requested lines, and the branch's stock of their products.
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world, is_open=rng.random() < _OPEN_BRANCHES)
    lines = _draw_requested_lines(world)
    for line in lines:
        _draw_stock(world, store, line)

    # 2. Add the scanned request. Its path and that of the table have random parts: `12ab34cd`.
    random_part = f"{rng.getrandbits(32):08x}"
    scan_path = world.names.upload("competitor_purchase_request", random_part)
    world.files[scan_path] = request_text(world, store, lines)
    table_path = f"/exports/crosslist-{rng.getrandbits(24):06x}.tsv"
    world.directories.append("/exports")

    # 3. Build the truth: the answer is the path of the table only, and the table is the only file
    #    that changes.
    products = [line.product for line in lines]
    rows = []
    for number, line in enumerate(lines, start=1):
        rows.append(_crosslist_row(store, number, line)._asdict())
    lines_as_data = [_line_as_data(world, line) for line in lines]
    return TaskTruth(
        instruction=world.wording("crosslist", upload=scan_path, path=table_path),
        message=table_path,
        is_exact=True,
        changes={table_path: table_text(rows)},
        must_cite=(scan_path,),
        must_cite_pages=world.page_paths(CROSSLIST),
        may_cite=(table_path, *world.paths(store, *products)),
        for_tests={
            "path": table_path,
            "store": world.path(store),
            "lines": json.dumps(lines_as_data),
        },
    )


def _draw_stock(world: World, store: Store, line: _RequestLine) -> None:
    """Give the branch units of a line's product: some for sale today, and some that arrive later."""
    rng = world.rng
    none = 0
    one_too_few = line.count - 1  # Also none if one unit is requested.
    just_enough = line.count
    more_than_enough = line.count + _UNITS_TO_SPARE
    available = rng.choice((none, one_too_few, just_enough, more_than_enough))
    delivery = Delivery(_DELIVERED_UNITS, in_days=rng.randint(1, 4))
    set_available(world, store, line.product.sku, available, incoming=[delivery])


def _line_as_data(world: World, line: _RequestLine) -> dict[str, object]:
    """Return a requested line as the tests need it."""
    return {
        "code": line.competitor_code,
        "path": world.path(line.product),
        "specs": dict(line.specs),
        "count": line.count,
    }


FAMILIES: Final = (
    Family(
        "crosslist",
        _crosslist,
        task_count=4,
        about="a table that answers a competitor's request",
        pages="crosslist uploads stock catalogue",
        bar=Bar.STAFF_ONLY,
    ),
)
