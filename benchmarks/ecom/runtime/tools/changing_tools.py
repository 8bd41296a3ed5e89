"""The tools that change records: `checkout discount payments refund`. None of them enforces a policy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.ecom.runtime.tools.tool_context import Tool, ToolContext, ToolFailure
from sandbox.interface import Plain


def _expect(arguments: Sequence[str], count: int, what: str) -> None:
    if len(arguments) != count:
        msg = f"expected {what}"
        raise ToolFailure(msg)


def _checkout(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _expect(arguments, 1, "a basket id")
    path, basket = context.record(context.workspace.roots.baskets, arguments[0])
    names = context.workspace.names
    if basket.get("status") == "checked_out":
        msg = f"{arguments[0]} is checked out already"
        raise ToolFailure(msg)
    basket["status"] = "checked_out"
    context.save(path, basket)
    return f"{names.printed['checked_out']} {arguments[0]}\n"


def _discount(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    _expect(arguments, 4, "a basket id, a percentage, a reason code and an issuer id")
    basket_id, percent, reason, issuer = arguments
    if not (percent.isascii() and percent.isdecimal() and 0 < int(percent[:4]) <= 100):
        msg = f"{percent!r} is no whole percentage from 1 to 100"
        raise ToolFailure(msg)
    path, basket = context.record(context.workspace.roots.baskets, basket_id)
    lines = basket.pop("lines", [])
    basket["discount"] = {"percent": int(percent), "reason_code": reason, "issuer_id": issuer}
    basket["lines"] = lines
    context.save(path, basket)
    return f"{context.workspace.names.printed['discounted']} {basket_id} {int(percent)} {reason} {issuer}\n"


def _payments(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    names = context.workspace.names
    verb = names.verb("restart")
    if not arguments or arguments[0] != verb:
        msg = f"expected the subcommand {verb}"
        raise ToolFailure(msg)
    _expect(arguments, 2, f"{verb} and a payment id")
    path, payment = context.record(context.workspace.roots.payments, arguments[1])
    verification = payment.get("verification")
    if not isinstance(verification, dict):
        msg = f"{arguments[1]} has no verification"
        raise ToolFailure(msg)
    attempts = verification.get("attempts")
    again = context.workspace.clock + context.workspace.verification_delay
    restarted: dict[str, Plain] = {
        **verification,
        "state": "challenge_open",
        "attempts": (attempts if isinstance(attempts, int) else 0) + 1,
        "retry_after": again.strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    context.save(path, {**payment, "verification": restarted})
    return f"{names.printed['restarted']} {arguments[1]}\n"


def _refund(context: ToolContext, arguments: Sequence[str], stdin: str) -> str:
    names = context.workspace.names
    steps = {names.verb("approve"): "refund_pending", names.verb("close"): "closed"}
    if not arguments or arguments[0] not in steps:
        msg = f"expected the subcommand {' or '.join(steps)}"
        raise ToolFailure(msg)
    _expect(arguments, 2, f"{arguments[0]} and a return id")
    path, entered = context.record(context.workspace.roots.returns, arguments[1])
    context.save(path, {**entered, "status": steps[arguments[0]]})
    return f"{names.state(steps[arguments[0]])} {arguments[1]}\n"


CHANGES: Final = (
    Tool(
        "checkout",
        "checkout <basket_id>\n\nMarks the basket as bought. Applies no policy.",
        _checkout,
    ),
    Tool(
        "discount",
        "discount <basket_id> <percent> <reason_code> <issuer_id>\n\nWrites the discount. Applies no policy.",
        _discount,
    ),
    Tool(
        "payments",
        lambda names: (
            f"payments {names.verb('restart')} <payment_id>\n\n"
            "Opens a challenge and counts the attempt. Applies no policy."
        ),
        _payments,
    ),
    Tool(
        "refund",
        lambda names: (
            f"refund {names.verb('approve')} <return_id>\n       refund {names.verb('close')} <return_id>\n\n"
            "Sets the return's status. Applies no policy."
        ),
        _refund,
    ),
)
