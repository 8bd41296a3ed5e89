"""The reference solution of `product-existence`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Compare the property in every record that fits the phrase."""
    inputs = truth.inputs
    properties = [client.record(path)["properties"] for path in inputs["paths"].split("\n")]
    holds = any(isinstance(each, dict) and str(each.get(inputs["key"])) == inputs["value"] for each in properties)
    return client.answer(truth, inputs["yes"] if holds else inputs["no"])
