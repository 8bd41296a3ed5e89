"""Dates that a request counts from today, and the moment from which something blocked may be tried again."""

from __future__ import annotations

from typing import Any

from benchmarks.shop.findings.access_findings import named_record, reference_to
from benchmarks.shop.layout.record_shapes import Kind, check_fields
from benchmarks.shop.layout.shop_layout import ShopLayout, WorkspaceReader
from toolkit import CannotRead, Finding
from toolkit.text import relative_date as date_asked


def relative_date(reader: WorkspaceReader, request: str) -> Finding[str]:
    """Return the date that a request means, in its own form. Raises `CannotRead` if it names no day or no form."""
    found = date_asked(request, ShopLayout(reader).clock)
    if found is None:
        msg = "the request names no single day (today, tomorrow, ...) or no form such as DD-MM-YYYY"
        raise CannotRead(msg)
    return Finding(found)


def retry_moment(reader: WorkspaceReader, payment: str) -> Finding[dict[str, Any]]:
    """Return a payment's bank check: `state`, `attempts`, `max_attempts`, `retry_at`, and whether that has `passed`.

    Raises `CannotRead` for a payment without one, or one that is not the asker's.
    """
    layout = ShopLayout(reader)
    found = named_record(layout, payment)
    if layout.kind_of(found.path) is not Kind.PAYMENT:
        msg = f"{payment} is no payment"
        raise CannotRead(msg)
    if not layout.asker.may_cite(found.owner):
        msg = f"{payment} is not the asker's: nothing is told of it"
        raise CannotRead(msg)
    fields = check_fields([found.data, *layout.samples(Kind.PAYMENT)])
    check = found.data.get(fields.check) if fields else None
    if fields is None or not isinstance(check, dict):
        msg = f"{payment} holds no bank check; its state is {found.state}"
        raise CannotRead(msg)
    value = {
        "state": check[fields.state],
        "attempts": check[fields.attempts],
        "max_attempts": check[fields.most],
        "retry_at": check[fields.retry],
        "passed": str(check[fields.retry]) <= layout.clock,
        "payment_state": found.state,
    }
    return Finding(value, (reference_to(found, Kind.PAYMENT),))
