"""The shop's own payments as rows in which fraud is looked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from benchmarks.shop.layout.branch_names import named_branches
from benchmarks.shop.layout.record_shapes import Kind
from benchmarks.shop.layout.shop_layout import ShopLayout
from toolkit import CannotRead
from toolkit.fraud import PaymentRow
from toolkit.layout import Data, Shape, keys_of
from toolkit.records import Record, folded_id, stem_of

MOST_PAYMENTS: Final = 200
"""Payments that are read for one finding."""
_CARD: Final = re.compile(r"card|payment_method|\bpm_", re.IGNORECASE)
_DEVICE: Final = re.compile(r"device", re.IGNORECASE)


def payment_history(layout: ShopLayout) -> dict[str, PaymentRow]:
    """Return every payment that the shop's records show, by path.

    Raises `CannotRead` if somebody from outside asks, if there are too many, or if their amounts are not certain.
    """
    if not layout.asker.is_staff:
        msg = "only staff may look through the payments of all customers"
        raise CannotRead(msg)
    paths = layout.group(Kind.PAYMENT).paths
    if len(paths) > MOST_PAYMENTS:
        msg = f"there are {len(paths)} payments, more than {MOST_PAYMENTS}: name an export"
        raise CannotRead(msg)
    cities = {folded_id(stem_of(each.path)): each.city for each in named_branches(layout)}
    return {each.path: _row(each, cities) for each in layout.records.read(paths)}


def _row(payment: Record, cities: Mapping[str, str]) -> PaymentRow:
    whole = [key for key in keys_of(payment.data, Shape.NUMBER) if isinstance(payment.data[key], int)]
    if len(whole) != 1:
        msg = f"it is not certain which field of {payment.id} is its amount"
        raise CannotRead(msg)
    return PaymentRow(
        id=payment.id,
        at=datetime.fromisoformat(payment.time),
        customer=payment.owner,
        city=next((cities[name] for link in payment.links() if (name := folded_id(link)) in cities), ""),
        cents=payment.data[whole[0]],
        card=_text(payment.data, _CARD),
        device=_text(payment.data, _DEVICE),
    )


def _text(data: Data, name: re.Pattern[str]) -> str:
    return next((str(value) for key, value in data.items() if name.search(key) and isinstance(value, str)), "")
