"""The reference solution of `record-field`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the field."""
    return client.answer(truth, str(client.record(truth.inputs["path"])[truth.inputs["field"]]))
