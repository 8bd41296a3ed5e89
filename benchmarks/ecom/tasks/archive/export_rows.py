"""The rows of an archived payment export, as a table separated by tabs. The columns are the public benchmark's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields
from datetime import datetime


@dataclass(frozen=True, slots=True)
class ExportRow:
    """One archived payment; the fields are the columns, in their order."""

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
    observed_lon: str
    sku: str
    archive_channel: str

    @property
    def moment(self) -> datetime:
        """The instant of the payment."""
        return datetime.fromisoformat(self.created_at)


COLUMNS = tuple(each.name for each in fields(ExportRow))


def export_text(rows: Iterable[ExportRow]) -> str:
    """Return the table of these rows, with its header."""
    lines = [COLUMNS, *(tuple(map(str, astuple(row))) for row in rows)]
    return "".join("\t".join(line) + "\n" for line in lines)


def parse_export(text: str) -> list[ExportRow]:
    """Return the rows of a table. Raises `TypeError` or `ValueError` for a table of another shape."""
    header, *lines = [line.split("\t") for line in text.splitlines() if line]
    return [_row(dict(zip(header, line, strict=True))) for line in lines]


def _row(cells: dict[str, str]) -> ExportRow:
    amount_cents = int(cells.pop("amount_cents"))
    return ExportRow(amount_cents=amount_cents, **cells)
