"""Refunds of which it is not certain which payment is meant: they are asked back about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolkit.records import Identity, Record, WorkspaceRecords, is_same_id, named_records
from toolkit.text import money_in_text

_REFUND: Final = re.compile(r"\brefund|\bmoney back\b|\bgive back\b", re.IGNORECASE)
_REJECTED: Final = frozenset({"rejected", "denied", "declined"})


@dataclass(frozen=True, slots=True)
class RefundQuestion:
    """Why to ask back, the candidates (payments newest first, then returns), and the subjects of the policies."""

    why: str
    """`several_payments` or `rejected_return`."""
    records: tuple[str, ...]
    subjects: tuple[str, ...] = ("security", "returns")


def refund_question(records: WorkspaceRecords, asker: Identity, text: str) -> RefundQuestion | None:
    """Return the question that a customer's request for a refund leaves open, or None.

    An amount that fits several of the customer's payments is one, and so is a payment whose return was rejected while
    its amount fits others.
    """
    if not asker.is_customer or not _REFUND.search(text):
        return None
    named = [each for path in named_records(records, asker, text) if (each := records.at(path)) is not None]
    targets = _targets(records, named)
    if not named and (cents := money_in_text(text)) is not None:
        targets = _payments_of(records, asker, cents)
        if len(targets) > 1:
            return RefundQuestion("several_payments", tuple(each.path for each in targets))
    if len(targets) != 1:
        return None
    rejected = [
        each
        for each in records.holding(targets[0].id)
        if is_same_id(str(each.data.get("payment_id", "")), targets[0].id) and each.state in _REJECTED
    ]
    others = _payments_of(records, asker, _cents(targets[0]))
    if not rejected or len(others) < 2:
        return None
    return RefundQuestion("rejected_return", tuple(each.path for each in (*others, *rejected)))


def _targets(records: WorkspaceRecords, named: list[Record]) -> list[Record]:
    """The payments that are named, themselves or by their returns."""
    found = {}
    for each in named:
        payment = records.record(str(each.data["payment_id"])) if "payment_id" in each.data else each
        if payment is not None and _cents(payment) is not None:
            found[payment.path] = payment
    return list(found.values())


def _cents(record: Record) -> int | None:
    cents = record.data.get("amount_cents")
    return cents if isinstance(cents, int) and record.data.get("currency", "EUR") == "EUR" else None


def _payments_of(records: WorkspaceRecords, asker: Identity, cents: int | None) -> list[Record]:
    found = [
        each
        for each in records.holding(asker.user)
        if cents is not None and _cents(each) == cents and is_same_id(each.owner, asker.user)
    ]
    return sorted(found, key=lambda each: (each.time, each.id), reverse=True)
