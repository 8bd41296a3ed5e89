"""The reference solution of `external-system`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Say that there is no such system."""
    return client.answer(truth, truth.message)
