"""The reference solution of `discount-limit`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Name the maximum and leave the basket alone."""
    inputs = truth.inputs
    return client.answer(
        truth, f"That is not possible: the maximum for {inputs['basket']} is {inputs['maximum']} percent."
    )
