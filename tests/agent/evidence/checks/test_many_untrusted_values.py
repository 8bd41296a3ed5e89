"""A call with thousands of untrusted values is checked in time, and for all of them.

A value is untrusted if only running text has it, such as a mail, whose author may be an attacker.
"""

from controlplane.agent.evidence.checks.accepted_uses import AcceptedUses
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.checks.stopping_values import stopping_values
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from tests.support.executed_work import assert_linear


def from_mail(texts: list[str]) -> ArgumentOrigin:
    """Return the origin of a list whose items are all in a mail."""
    findings: list[Finding] = []
    for text in texts:
        value = ArgumentValue(text, keys=(text,), role=ValueRole.WHOLE)
        findings.append(Finding.in_prose(value, "/mail"))
    return ArgumentOrigin(tuple(findings))


def payment_of(count: int) -> ChangingCall:
    """Return `pay(ids=["id-0", "id-1"], amounts=["0", "1"])` for 2, with all values of a mail."""
    origins = {
        "ids": from_mail([f"id-{number}" for number in range(count)]),
        "amounts": from_mail([str(number) for number in range(count)]),
    }
    return ChangingCall("pay", {}, origins, mode="ask")


def test_a_call_is_held_for_all_of_many_values() -> None:
    unaccepted = stopping_values(payment_of(3_000), AcceptedUses(), last_step=1)

    assert unaccepted.keys() == {"ids", "amounts"}
    assert len(unaccepted["ids"]) == 3_000
    assert len(unaccepted["amounts"]) == 3_000


def test_all_of_many_values_can_be_accepted() -> None:
    uses = payment_of(3_000).uses_to_accept()

    assert len(uses) == 6_000  # 3,000 ids and 3,000 amounts


def test_looking_up_many_values_among_the_accepted_is_linear_work() -> None:
    """None of them has been accepted, so all are looked up in vain."""

    def check(count: int) -> None:
        stopping_values(payment_of(count), AcceptedUses(), last_step=1)

    assert_linear(check, 200)


def test_listing_many_values_to_accept_is_linear_work() -> None:
    assert_linear(lambda count: payment_of(count).uses_to_accept(), 200)
