"""The values for which a call that may change something is stopped: not sent.

A value is *untrusted* if only running text has it, such as a mail, or no text at all: the script
made it up. The user asked to pay 30, and only a mail has the account DE12:

    send_money(to="DE12", amount=30)     {"to": [the value DE12]}
    the same, once it was accepted       {}

What is accepted is a *use* of a value: DE12 as the argument `to` of `send_money`. So a call of
another operation is still stopped for DE12.
"""

from __future__ import annotations

from controlplane.agent.evidence.checks.accepted_uses import AcceptedUses
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.checks.untrusted_uses import untrusted_uses
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin


def stopping_values(
    call: ChangingCall, accepted: AcceptedUses, last_step: int
) -> dict[str, list[Finding]]:
    """Return the values that stop a call, by argument, each with its origin.

    A value whose use was accepted does not stop the call. What was accepted after the step
    `last_step` does not count: the model has not read yet why the earlier call was stopped.
    """
    values: dict[str, list[Finding]] = {}
    for finding, use in untrusted_uses(call.operation, call.origins):
        if _may_stop(finding, call.mode) and not accepted.accepts(use, last_step):
            values.setdefault(use.parameter, []).append(finding)
    return values


def _may_stop(untrusted: Finding, mode: str) -> bool:
    """Return True if the mode stops calls with an untrusted value of this kind.

    Each mode does, if running text has the value. If the script made the value up, only `strict`
    does. Even `strict` lets a made-up URL pass, since its parts are judged as values of their own.
    """
    is_made_up = untrusted.origin is Origin.MADE
    if not is_made_up:
        return True
    return mode == "strict" and not untrusted.value.parts
