"""The reference solution of `staff-contact`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check who asks, and refuse everybody outside staff."""
    is_staff = "employee" in client.who()["roles"].split(", ")
    return client.answer(truth, truth.message, outcome=OK if is_staff else DENIED)
