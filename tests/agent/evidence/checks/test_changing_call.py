"""A changing call is judged by its untrusted values."""

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


def untrusted(prefix: str, count: int) -> ArgumentOrigin:
    """Return the origins of an argument whose values are all only in running text."""
    findings: list[Finding] = []
    for number in range(count):
        text = f"{prefix}{number}"
        value = ArgumentValue(text, keys=(text,), role=ValueRole.WHOLE)
        findings.append(Finding(value, Origin.PROSE))
    return ArgumentOrigin(tuple(findings))


def test_a_call_with_thousands_of_values_is_judged_in_time() -> None:
    count = 3_000
    origins = {"ids": untrusted("id-", count), "amounts": untrusted("5", count)}
    call = ChangingCall("pay", {}, origins, "ask")
    began = time.process_time()

    unaccepted = call.unaccepted_values(AcceptedValues(), 1)
    assert len(call.values_to_accept()) == 2 * count
    assert [len(findings) for findings in unaccepted.values()] == [count, count]
    assert time.process_time() - began < 2
