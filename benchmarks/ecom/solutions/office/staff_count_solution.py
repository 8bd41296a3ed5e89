"""The reference solution of `staff-count`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def _counted(client: ReferenceClient, truth: Truth) -> int:
    found = client.environment.call(
        "find", {"name": "*.json", "root": truth.inputs["root"], "kind": "files", "limit": 0}
    )["paths"]
    staff = [client.record(str(path)) for path in found] if isinstance(found, list) else []
    inputs = truth.inputs
    return sum(
        inputs["role"] in (each["roles"] if isinstance(each["roles"], list) else ())
        and inputs["store"] in ("", each["store_id"])
        for each in staff
    )


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Count the staff records with the role."""
    return client.answer(truth, str(_counted(client, truth)))
