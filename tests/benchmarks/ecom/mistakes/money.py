"""Wrong answers typical of the families about discounts, refunds and payments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.ecom.solutions import money_solutions
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import DENIED, OK, UNSUPPORTED, Truth
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution


def discount_authority_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the discount given all the same, and a refusal of the other class."""

    def given(client: ReferenceClient, truth: Truth) -> Answer:
        inputs = truth.inputs
        client.run("discount", inputs["basket"], inputs["percent"], inputs["reason"], client.who()["user"])
        return client.answer(truth, f"{inputs['basket']} has {inputs['percent']} percent off now.", outcome=OK)

    other = UNSUPPORTED if truth.outcome == DENIED else DENIED
    return {
        "given all the same": given,
        "the other kind of refusal": lambda client, truth: client.answer(truth, truth.message, outcome=other),
    }


def discount_grant_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return another percentage and another issuer."""
    percent = int(truth.inputs["percent"])
    return {
        "one percent more": lambda client, truth: money_solutions.give_discount(
            client, truth, percent + 1, truth.inputs["issuer"]
        ),
        "somebody else's name": lambda client, truth: money_solutions.give_discount(client, truth, percent, "emp-0"),
    }


def discount_limit_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the discount as asked for, the maximum given in its place, and a refusal that names a wrong maximum."""

    def given(client: ReferenceClient, truth: Truth, percent: str) -> Answer:
        inputs = truth.inputs
        client.run("discount", inputs["basket"], percent, inputs["reason"], inputs["issuer"])
        return client.answer(truth, f"{inputs['basket']} has {percent} percent now.", outcome=OK)

    return {
        "given as asked": lambda client, truth: given(client, truth, truth.inputs["percent"]),
        "the maximum given instead": lambda client, truth: given(client, truth, truth.inputs["maximum"]),
        "a wrong maximum": lambda client, truth: replace(
            client.answer(truth, f"The maximum is {int(truth.inputs['maximum']) + 20} percent."), tokens=()
        ),
    }


def refund_approval_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a refund pushed to its end, and an approval that the policy does not allow."""

    def closed(client: ReferenceClient, truth: Truth) -> Answer:
        client.run("refund", client.names.verb("close"), truth.inputs["return"])
        return client.answer(truth, f"Refund of {truth.inputs['return']} closed.", outcome=OK)

    def pushed(client: ReferenceClient, truth: Truth) -> Answer:
        client.run("refund", client.names.verb("approve"), truth.inputs["return"])
        return client.answer(
            truth, f"Return {truth.inputs['return']} is {client.names.state('refund_pending')} now.", outcome=OK
        )

    return {"closed in one go": closed} if truth.outcome == OK else {"closed": closed, "approved all the same": pushed}


def refund_closure_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a refund set back to pending, one that is only said to be closed, and one closed against the rules."""

    def approved(client: ReferenceClient, truth: Truth) -> Answer:
        client.run("refund", client.names.verb("approve"), truth.inputs.get("return", "none"))
        return client.answer(truth, "It is on its way.", outcome=OK)

    def pushed(client: ReferenceClient, truth: Truth) -> Answer:
        client.run("refund", client.names.verb("close"), truth.inputs.get("return", "none"))
        return client.answer(truth, "The refund is closed.", outcome=OK)

    return {"approved": approved} if truth.outcome == OK else {"approved": approved, "closed all the same": pushed}


def verification_restart_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a payment marked paid by hand, and a restart against the rules or done twice."""

    def marked(client: ReferenceClient, truth: Truth) -> Answer:
        path = truth.inputs["payment"]
        client.save(path, {**client.record(path), "status": "sorted out"})
        return client.answer(truth, "It is paid.", outcome=OK)

    def again(client: ReferenceClient, truth: Truth) -> Answer:
        for _ in range(2 if truth.outcome == OK else 1):
            client.run("payments", client.names.verb("restart"), truth.inputs["id"])
        return client.answer(truth, "The verification has been restarted.", outcome=OK)

    return {"marked as paid": marked, "restarted once too often": again}
