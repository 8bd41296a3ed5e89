"""The reference solution of `discount-grant`."""

from __future__ import annotations

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import Truth


def give_discount(client: ReferenceClient, truth: Truth, percent: int, issuer: str) -> Answer:
    inputs = truth.inputs
    client.run("/bin/discount", inputs["basket"], str(percent), inputs["reason"], issuer)
    return client.answer(truth, f"{inputs['basket']} has {percent} percent off now ({inputs['reason']}).")


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Give the discount in the name of the signed-in employee."""
    return give_discount(client, truth, int(truth.inputs["percent"]), client.who()["user"])
