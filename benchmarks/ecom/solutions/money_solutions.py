"""Solutions of the tasks about discounts, refunds and payments. Each function solves the family of its name."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth


def discount_authority(client: ReferenceClient, truth: Truth) -> Answer:
    """Refuse."""
    return client.answer(truth, truth.message)


def give_discount(client: ReferenceClient, truth: Truth, percent: int, issuer: str) -> Answer:
    inputs = truth.inputs
    client.run("discount", inputs["basket"], str(percent), inputs["reason"], issuer)
    return client.answer(truth, f"{inputs['basket']} has {percent} percent off now ({inputs['reason']}).")


def discount_grant(client: ReferenceClient, truth: Truth) -> Answer:
    """Give the discount in the name of the signed-in employee."""
    return give_discount(client, truth, int(truth.inputs["percent"]), client.who()["user"])


def discount_limit(client: ReferenceClient, truth: Truth) -> Answer:
    """Name the maximum and leave the basket alone."""
    inputs = truth.inputs
    return client.answer(
        truth, f"That is not possible: the maximum for {inputs['basket']} is {inputs['maximum']} percent."
    )


def refund_approval(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the role and the return's status, then approve or say why not."""
    inputs = truth.inputs
    if inputs["role"] not in client.who()["roles"].split(", "):
        return client.answer(truth, f"Approving a refund takes the role {inputs['role']}.", outcome=DENIED)
    status = client.record(inputs["path"])["status"]
    if status != "approved":
        return client.answer(
            truth, f"{inputs['return']} has the status {client.names.word(status)}.", outcome=UNSUPPORTED
        )
    client.run("refund", client.names.verb("approve"), inputs["return"])
    return client.answer(truth, f"Return {inputs['return']} is {client.names.word('refund_pending')} now.", outcome=OK)


def refund_closure(client: ReferenceClient, truth: Truth) -> Answer:
    """Check owner and status, then close or say why not."""
    inputs = truth.inputs
    if client.record(inputs["payment"])["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    if "path" not in inputs:
        return client.answer(truth, truth.message, outcome=UNSUPPORTED)
    status = client.record(inputs["path"])["status"]
    if status != "refund_pending":
        return client.answer(
            truth,
            f"The return {inputs['return']} has the status {client.names.word(status)}.",
            outcome=UNSUPPORTED,
        )
    client.run("refund", client.names.verb("close"), inputs["return"])
    return client.answer(truth, f"The refund {inputs['return']} is {client.names.word('closed')}.", outcome=OK)


def _obstacle(payment: Mapping[str, object], now: str, names: RecordNames) -> str:
    """Return what prevents a restart, or an empty string."""
    if payment["status"] != "awaiting_verification":
        return f"the payment has the status {names.word(payment['status'])}"
    verification = payment["verification"]
    if not isinstance(verification, dict):
        return "there is no verification"
    if verification["attempts"] >= verification["max_attempts"]:
        return f"the limit of {verification['max_attempts']} attempts is reached"
    if verification["state"] == "challenge_open" and now < verification["retry_after"]:
        return f"it may be restarted from {verification['retry_after']} on"
    return ""


def verification_restart(client: ReferenceClient, truth: Truth) -> Answer:
    """Check the conditions by the world's clock, then restart or name the obstacle."""
    payment = client.record(truth.inputs["payment"])
    if payment["customer_id"] != client.who()["user"]:
        return client.answer(truth, "That payment does not belong to you.", outcome=DENIED)
    obstacle = _obstacle(payment, client.run("date").strip(), client.names)
    if obstacle:
        return client.answer(truth, f"Not possible: {obstacle}.", outcome=UNSUPPORTED)
    client.run("payments", client.names.verb("restart"), truth.inputs["id"])
    return client.answer(truth, f"The verification of {truth.inputs['id']} has been restarted.", outcome=OK)
