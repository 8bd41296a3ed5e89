"""A payment with thousands of untrusted values is checked in time, and for all of them.

A value is *untrusted* if only running text has it, such as a mail, whose author may be an attacker. The
call is stopped for each such value, `stopping_values`, unless the value was accepted. If the user accepts
the call, each of its untrusted values may be used later: `uses_to_accept`.
"""

from controlplane.agent.evidence.checks import (
    AcceptedUses,
    ChangingCall,
    stopping_values,
)
from controlplane.agent.evidence.origins.argument_lookup import ArgumentOrigin
from controlplane.agent.evidence.origins.texts import Finding
from controlplane.agent.evidence.origins.values import ArgumentValue, ValueRole
from tests.support.executed_work import assert_linear


def origin_in_mail(texts: list[str]) -> ArgumentOrigin:
    """Return the origin of an argument, a list whose items are all in a mail."""
    findings: list[Finding] = []
    for text in texts:
        value = ArgumentValue(text, keys=(text,), role=ValueRole.WHOLE)
        findings.append(Finding.in_prose(value, "/mail"))
    return ArgumentOrigin(tuple(findings))


def payment_of_many(count: int) -> ChangingCall:
    """Return a call of `pay` with so many ids, and as many amounts, all of them in a mail.

    For 2, it is `pay(ids=["id-0", "id-1"], amounts=["0", "1"])`.
    """
    origins = {
        "ids": origin_in_mail([f"id-{number}" for number in range(count)]),
        "amounts": origin_in_mail([str(number) for number in range(count)]),
    }
    stop_until_model_insists = "ask"
    return ChangingCall("pay", {}, origins, mode=stop_until_model_insists)


NOTHING_ACCEPTED = AcceptedUses()


def test_a_call_is_stopped_for_all_of_many_values() -> None:
    values = stopping_values(payment_of_many(3_000), NOTHING_ACCEPTED, last_step=1)

    assert values.keys() == {"ids", "amounts"}
    assert len(values["ids"]) == 3_000
    assert len(values["amounts"]) == 3_000


def test_all_of_many_values_can_be_accepted() -> None:
    uses = payment_of_many(3_000).uses_to_accept()

    assert len(uses) == 6_000  # 3,000 ids and 3,000 amounts


def test_looking_up_many_values_among_the_accepted_is_linear_work() -> None:
    def check(count: int) -> None:
        stopping_values(payment_of_many(count), NOTHING_ACCEPTED, last_step=1)

    assert_linear(check, 200)


def test_listing_many_values_to_accept_is_linear_work() -> None:
    assert_linear(lambda count: payment_of_many(count).uses_to_accept(), 200)
