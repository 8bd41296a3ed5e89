"""The reference solution of `verification-restart`."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth


def _obstacle(payment: Mapping[str, object], now: str) -> str:
    """Return what prevents a restart, or an empty string."""
    if payment["status"] != "awaiting_verification":
        return f"the payment has the status {payment['status']}"
    verification = payment["verification"]
    if not isinstance(verification, dict):
        return "there is no verification"
    if verification["attempts"] >= verification["max_attempts"]:
        return f"the limit of {verification['max_attempts']} attempts is reached"
    if verification["state"] == "challenge_open" and now < verification["retry_after"]:
        return f"it may be restarted from {verification['retry_after']} on"
    return ""


def reference(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the conditions by the world's clock, then restart or name the obstacle."""
    payment = client.record(truth.inputs["payment"])
    if payment["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    obstacle = _obstacle(payment, client.run("/bin/date").strip())
    if obstacle:
        return client.answer(truth, f"Not possible: {obstacle}.", outcome=UNSUPPORTED)
    client.run("/bin/payments", "restart-verification", truth.inputs["id"])
    return client.answer(truth, f"The verification of {truth.inputs['id']} has been restarted.", outcome=OK)
