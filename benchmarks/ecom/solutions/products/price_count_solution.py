"""The reference solution of `price-count`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def _count(client: ReferenceClient, truth: Truth, *, is_inclusive: bool) -> int:
    limit = int(truth.inputs["limit"]) + is_inclusive
    return sum(int(str(client.record(path)["price_cents"])) < limit for path in truth.inputs["paths"].split("\n"))


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Count the records below the price."""
    return client.answer(truth, str(_count(client, truth, is_inclusive=False)))
