"""Reads an export of payments: columns by the words of their headers and the form of their values."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from toolkit.finding import CannotRead
from toolkit.fraud.payment_rows import PaymentRow
from toolkit.layout import Shape, columns_called, shape_of, table_rows

_WANTED: Final = {
    "customer": ("customer ref", "customer id", "customer", "account", "client", "buyer"),
    "city": ("store city", "city", "town"),
    "amount": ("amount cents", "cents", "ct", "amount"),
}
_PERHAPS: Final = {
    "card": ("payment method fingerprint", "card", "payment method"),
    "device": ("device fingerprint", "device"),
    "channel": ("archive channel", "channel"),
}


def read_payments(text: str) -> list[PaymentRow]:
    """Return the payments of an export in its order. Raises `CannotRead` for a table of another shape."""
    rows = table_rows(text)
    columns = columns_called(rows, _WANTED)
    for name, words in _PERHAPS.items():
        try:
            columns |= columns_called(rows, {name: words})
        except CannotRead:
            continue
    columns["id"] = _only(each for each in rows[0] if len({row[each] for row in rows}) == len(rows))
    columns["at"] = _only(each for each in rows[0] if all(shape_of(row[each]) is Shape.INSTANT for row in rows))
    return [_payment(row, columns) for row in rows]


def _only(headers: Iterable[str]) -> str:
    """The first column of a form: ids and instants stand in front. Raises `CannotRead` for none."""
    found = next(iter(headers), "")
    if not found:
        msg = "the table has no column of ids, or none of instants"
        raise CannotRead(msg)
    return found


def _payment(row: dict[str, str], columns: dict[str, str]) -> PaymentRow:
    try:
        at, cents = datetime.fromisoformat(row[columns["at"]]), int(row[columns["amount"]])
    except ValueError:
        msg = f"row {row[columns['id']]} holds no amount in cents"
        raise CannotRead(msg) from None
    return PaymentRow(
        id=row[columns["id"]],
        at=at,
        customer=row[columns["customer"]],
        city=row[columns["city"]],
        cents=cents,
        card=row[columns["card"]] if "card" in columns else "",
        device=row[columns["device"]] if "device" in columns else "",
        channel=row[columns["channel"]] if "channel" in columns else None,
    )
