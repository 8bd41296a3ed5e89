"""The rows of a crosslist: a table that answers a competitor's purchase request line by line.

A line asks for 4 units, and the branch can sell 3 of exactly this product today. So the row
names the product, and has 3 fulfillable units, 1 short unit and the reason. If the product
differs from the request in one property, the row has no product and no units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields

from controlplane.benchmarks.ecom.tasks.scans.purchase_requests import RequestLine
from controlplane.benchmarks.ecom.tasks.scans.scan_damage import SCANS
from controlplane.benchmarks.ecom.world.records import Stock, Store


@dataclass(frozen=True, slots=True)
class CrosslistRow:
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


def crosslist_text(store: Store, lines: Sequence[RequestLine]) -> str:
    """Return the tab-separated table of the right answers, with a header."""
    rows = ["\t".join(column.name for column in fields(CrosslistRow))]
    for number, line in enumerate(lines, start=1):
        row = _crosslist_row(store, number, line)
        rows.append("\t".join(str(cell) for cell in astuple(row)))
    return "".join(f"{row}\n" for row in rows)


def _crosslist_row(store: Store, number: int, line: RequestLine) -> CrosslistRow:
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
        fulfillable_qty=fulfillable,
        short_qty=line.count - fulfillable,
        reason=SCANS["reasons"][reason],
    )
