"""A call that changes something is checked for values that only untrusted texts have.

`pay(ids=["id-0"], amount=50)` may have its values from a mail, whose author may be an attacker.
Such values are untrusted until the model or the user accepts them.
"""

from __future__ import annotations

import time

from controlplane.agent.evidence.checks.accepted_values import AcceptedValues
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)


def untrusted_values(prefix: str, count: int) -> ArgumentOrigin:
    """Return the origin of an argument with `count` values that occur only in running text.

    `untrusted_values("id-", 2)` stands for the argument `["id-0", "id-1"]`.
    """
    findings: list[Finding] = []
    for number in range(count):
        text = f"{prefix}{number}"
        value = ArgumentValue(text, keys=(text,), role=ValueRole.WHOLE)
        findings.append(Finding(value, Origin.PROSE))
    return ArgumentOrigin(tuple(findings))


def test_a_call_with_thousands_of_untrusted_values_is_checked_in_bounded_time() -> None:
    """The call `pay(ids, amounts)` has 3,000 values for each, all only from running text. In this step,
    neither the model nor the user has accepted any of them."""
    count = 3_000
    origins = {
        "ids": untrusted_values("id-", count),
        "amounts": untrusted_values("5", count),
    }
    call = ChangingCall("pay", {}, origins, mode="ask")
    nothing_accepted = AcceptedValues()

    started = time.process_time()
    unaccepted = call.unaccepted_values(nothing_accepted, 1)
    values_to_accept = call.values_to_accept()
    duration_s = time.process_time() - started

    assert duration_s < 2
    assert unaccepted.keys() == {"ids", "amounts"}
    assert len(unaccepted["ids"]) == count
    assert len(unaccepted["amounts"]) == count
    assert len(values_to_accept) == 2 * count
