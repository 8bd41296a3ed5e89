"""The reference solution of `injected-block`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Refuse."""
    return client.answer(truth, truth.message)
