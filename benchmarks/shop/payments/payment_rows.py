"""Reads the payments of an exported table, one row each.

    payment,customer_ref,store_city,amount_cents,paid_at
    p7,cust_3,Graz,1250,2027-03-01T10:00:00Z

Exports differ in their headers. Some columns are known by several possible headers, and the
others by their values: ids are all different, and times have the form of a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.texts.table_texts import columns_called, table_rows
from controlplane.benchmarks.shop.workspace.field_shapes import Shape, shape_of
from controlplane.sandbox.functions import CannotRead

OWN_CHANNELS: Final = frozenset({"web", "mobile_app", "customer_terminal"})
"""Channels of customers: they pay with a device of their own, or are present in person."""


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """One payment of an export."""

    id: str
    at: datetime
    customer: str
    city: str
    cents: int
    device: str = ""
    """Empty if it is unknown. Such payments belong to no series of a device."""
    channel: str | None = None
    """How the customer paid, such as `web`; None if the export has no channels."""

    @property
    def is_own(self) -> bool:
        """True if the payment was made on a channel of customers, or if the channel is unknown."""
        return self.channel is None or self.channel in OWN_CHANNELS


# The possible headers of each column, best first.
_REQUIRED_COLUMNS: Final = {
    "customer": (
        "customer ref",
        "customer id",
        "customer",
        "account",
        "client",
        "buyer",
    ),
    "city": ("store city", "city", "town"),
    "amount": ("amount cents", "cents", "ct", "amount"),
}
_OPTIONAL_COLUMNS: Final = {
    "device": ("device fingerprint", "device"),
    "channel": ("archive channel", "channel"),
}


def read_payments(text: str) -> list[PaymentRow]:
    """Return the payments of an export, in order. Raises `CannotRead` for any other table."""
    # 1. Find the columns that are known by their headers.
    rows = table_rows(text)
    wanted = {**_REQUIRED_COLUMNS, **_OPTIONAL_COLUMNS}
    columns = columns_called(rows, wanted, optional=_OPTIONAL_COLUMNS)

    # 2. Find the id and the time by their values, because exports differ in these headers. The
    #    first column with unique values is the id. The time of payment comes before other times.
    unique_columns = []
    instant_columns = []
    for column in rows[0]:
        values = [row[column] for row in rows]
        if len(set(values)) == len(values):
            unique_columns.append(column)
        if all(shape_of(value) is Shape.INSTANT for value in values):
            instant_columns.append(column)
    refusal = "the table has no column of ids, or none of instants"
    require(unique_columns and instant_columns, refusal)
    columns["id"] = unique_columns[0]
    columns["at"] = instant_columns[0]
    return [_payment(row, columns) for row in rows]


def _payment(row: Mapping[str, str], columns: Mapping[str, str]) -> PaymentRow:
    """Return the payment in a row. `columns` are the headers of its parts."""
    payment_id = row[columns["id"]]
    try:
        at = datetime.fromisoformat(row[columns["at"]])
    except ValueError:  # such as the day 2027-02-30
        msg = f"row {payment_id} holds no valid time"
        raise CannotRead(msg) from None
    try:
        cents = int(row[columns["amount"]])
    except ValueError:
        msg = f"row {payment_id} holds no amount in cents"
        raise CannotRead(msg) from None
    return PaymentRow(
        id=payment_id,
        at=at,
        customer=row[columns["customer"]],
        city=row[columns["city"]],
        cents=cents,
        device=row[columns["device"]] if "device" in columns else "",
        channel=row[columns["channel"]] if "channel" in columns else None,
    )
