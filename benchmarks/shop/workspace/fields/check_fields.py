"""Finds the names of the fields of the bank checks of payments: `tries`, `max_tries` and others.

A bank check asks the customer to confirm a payment, and allows some attempts. Shops choose the
names of its fields, so these are found by the values in several payments: `{"state": "locked",
"tries": 2, "max_tries": 3, "retry_at": "2027-03-01T10:00:00Z"}`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.shop.workspace.field_shapes import (
    Data,
    Shape,
    keys_of,
)


@dataclass(frozen=True, slots=True)
class CheckFields:
    """The names of the fields of a payment's bank check."""

    check: str
    """The field of the payment that holds the bank check."""
    state: str
    attempts: str
    """The number of attempts that were made."""
    max_attempts: str
    """The limit of attempts."""
    retry_at: str
    """The time from which another attempt is allowed."""


def check_fields(payments: Sequence[Data]) -> CheckFields | None:
    """Return the names of the fields of bank checks; None if no payment has a bank check.

    A bank check is a mapping with a state, two counts and one instant. For the payment
    `{"id": "pay_7", "secure": {"state": "locked", "tries": 2, ...}}`, the field `check` is `secure`.
    """
    for payment in payments:
        for possible_key in keys_of(payment, Shape.MAPPING):
            # More checks than one help to tell the limit of attempts from their number.
            all_checks = _mappings_at(possible_key, payments)
            fields = _fields_of_check(possible_key, payment[possible_key], all_checks)
            if fields is not None:
                return fields
    return None


def _mappings_at(key: str, payments: Sequence[Data]) -> list[Data]:
    """Return the mappings that payments have in a field."""
    mappings = []
    for payment in payments:
        if isinstance(payment.get(key), dict):
            mappings.append(payment[key])
    return mappings


def _fields_of_check(
    check_key: str, check: Data, all_checks: Sequence[Data]
) -> CheckFields | None:
    """Return the names of a mapping's fields; None if the mapping is not a bank check.

    `check` is the mapping, and `check_key` the field of the payment that holds it. `all_checks`
    are the mappings in this field of all payments.
    """
    counts = keys_of(check, Shape.NUMBER)
    instants = keys_of(check, Shape.INSTANT)
    states = []
    for key, value in check.items():
        if isinstance(value, str) and key not in instants:
            states.append(key)
    if len(counts) != 2 or len(instants) != 1 or not states:
        return None
    limit = _limit_among(counts, all_checks)
    first, second = counts
    attempts = second if limit == first else first
    return CheckFields(check_key, states[0], attempts, limit, instants[0])


_LIMIT: Final = re.compile(r"max|limit|allowed|most", re.IGNORECASE)
"""Names of fields with a limit: `max_tries`."""


def _limit_among(counts: Sequence[str], checks: Sequence[Data]) -> str:
    """Return the one of two count fields that holds the limit of attempts.

    Attempts never exceed their limit, so the limit has the larger sum over all checks. If the
    sums are equal, it is the field with a name such as `max_tries`, or else the first one.
    """
    first, second = counts
    sum_of_first = sum(int(check.get(first, 0)) for check in checks)
    sum_of_second = sum(int(check.get(second, 0)) for check in checks)
    if sum_of_first > sum_of_second:
        return first
    if sum_of_second > sum_of_first:
        return second
    if _LIMIT.search(second) and not _LIMIT.search(first):
        return second
    return first
