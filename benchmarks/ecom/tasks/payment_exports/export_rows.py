"""The rows of an archived payment export: a table with one row for each payment.

The columns are those of the exports of the public benchmark, BitGN ECOM.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One archived payment. The fields are the columns of the export, in order."""

    row_id: str
    archive_payment_id: str
    created_at: str
    customer_ref: str
    store_ref: str
    store_city: str
    amount_cents: int
    currency: str
    payment_method_fingerprint: str
    device_fingerprint: str
    observed_lat: str
    """The latitude of the payment in degrees, with five decimals: `51.58310`."""
    observed_lon: str
    sku: str
    archive_channel: str


def export_text(rows: Iterable[ExportRow]) -> str:
    """Return the tab-separated table of these rows, with a header."""
    lines = ["\t".join(column.name for column in fields(ExportRow))]
    for row in rows:
        lines.append("\t".join(str(cell) for cell in astuple(row)))
    return "".join(f"{line}\n" for line in lines)
