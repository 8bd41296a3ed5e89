"""The tools in `/bin` that change records: `checkout`, `discount`, `payments`, `refund`.

They carry out orders without checking any policy, so it is the agent who must know whether
an order is right. `/bin/checkout basket-0012` marks the basket as bought, whoever owns it.
"""

from __future__ import annotations

from collections.abc import Sequence

from controlplane.benchmarks.ecom.tools.record_store import RecordStore
from controlplane.benchmarks.ecom.tools.tool_arguments import (
    expect,
    refuse,
    subject_of_subcommand,
)
from controlplane.benchmarks.ecom.workspace import Workspace


class ChangingTools:
    """The tools that change the records of one trial.

    Each method is a tool: it takes the tool's arguments, and returns what the tool prints. It
    raises `ValueError` to refuse a call, and if there is no such record. Fields and states
    of `record.data` have the names of the code; subcommands and what a tool prints have the
    names of the trial's world, from `_names`.
    """

    def __init__(self, records: RecordStore, workspace: Workspace) -> None:
        self._records = records
        self._names = workspace.names
        self._roots = workspace.roots
        self._next_restart = workspace.clock + workspace.verification_delay
        """When a card verification that is restarted now may be restarted again."""

    def checkout(self, arguments: Sequence[str]) -> str:
        """Mark a basket as bought: `checkout BASKET_ID`."""
        expect(arguments, 1, "a basket id")
        basket_id = arguments[0]
        basket = self._records.record(self._roots.baskets, basket_id)
        if basket.data.get("status") == "checked_out":
            refuse(f"{basket_id} is checked out already")
        basket.data["status"] = "checked_out"
        self._records.save(basket.path, basket.data)
        return f"{self._names.printed['checked_out']} {basket_id}\n"

    def discount(self, arguments: Sequence[str]) -> str:
        """Write a discount into a basket: `discount BASKET_ID PERCENT REASON_CODE ISSUER_ID`."""
        expect(
            arguments, 4, "a basket id, a percentage, a reason code and an issuer id"
        )
        basket_id, percent_text, reason, issuer = arguments
        percent = _percentage(percent_text)
        basket = self._records.record(self._roots.baskets, basket_id)
        # The lines are the last field of a basket, after the discount.
        lines = basket.data.pop("lines", [])
        basket.data["discount"] = {
            "percent": percent,
            "reason_code": reason,
            "issuer_id": issuer,
        }
        basket.data["lines"] = lines
        self._records.save(basket.path, basket.data)
        done = self._names.printed["discounted"]
        return f"{done} {basket_id} {percent} {reason} {issuer}\n"

    def payments(self, arguments: Sequence[str]) -> str:
        """Restart the card verification of a payment: `payments restart PAYMENT_ID`."""
        verbs = [self._names.verb("restart")]
        payment_id = subject_of_subcommand(arguments, verbs, "a payment id")
        payment = self._records.record(self._roots.payments, payment_id)
        verification = payment.data.get("verification")
        if not isinstance(verification, dict):
            refuse(f"{payment_id} has no verification")
        attempts = verification.get("attempts")
        if not isinstance(attempts, int):
            attempts = 0
        verification["state"] = "challenge_open"
        verification["attempts"] = attempts + 1
        verification["retry_after"] = self._next_restart.strftime("%Y-%m-%dT%H:%M:%SZ")
        self._records.save(payment.path, payment.data)
        return f"{self._names.printed['restarted']} {payment_id}\n"

    def refund(self, arguments: Sequence[str]) -> str:
        """Approve or close a return: `refund approve RETURN_ID`, `refund close RETURN_ID`."""
        next_statuses = {
            self._names.verb("approve"): "refund_pending",
            self._names.verb("close"): "closed",
        }
        verbs = list(next_statuses)
        return_id = subject_of_subcommand(arguments, verbs, "a return id")
        returned = self._records.record(self._roots.returns, return_id)
        next_status = next_statuses[arguments[0]]
        returned.data["status"] = next_status
        self._records.save(returned.path, returned.data)
        return f"{self._names.state(next_status)} {return_id}\n"


def _percentage(text: str) -> int:
    """Return a whole percentage from 1 to 100; refuse any other text."""
    is_number = text.isascii() and text.isdecimal()
    # Four digits are enough to see that a number is too large. `int` refuses very long ones.
    if not is_number or not 0 < int(text[:4]) <= 100:
        refuse(f"{text!r} is not a whole percentage from 1 to 100")
    return int(text)
