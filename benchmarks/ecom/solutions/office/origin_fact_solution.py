"""The reference solution of `origin-fact`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.world.documents import ORIGINS


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Read the table of origins, and the branch's record for what the table does not hold."""
    inputs = truth.inputs
    if inputs["path"]:
        return client.answer(truth, str(client.record(inputs["path"])[inputs["field"]]))
    labels = {
        "opened_on": "first day of opening",
        "registered_on": "registered as a company",
        "named_on": "name chosen",
    }
    row = next(line for line in client.read(ORIGINS).splitlines() if line.startswith(f"| {labels[inputs['field']]} |"))
    return client.answer(truth, row.split("|")[2].strip())
