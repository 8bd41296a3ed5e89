"""A call that changes something is checked for values that only untrusted texts have.

`pay(ids=["id-0"], amount=50)` may have its values from a mail, whose author may be an attacker.
Such values are untrusted until the model or the user accepts them.
"""

from __future__ import annotations

from controlplane.agent.evidence.checks.accepted_values import AcceptedValues
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.origins.argument_origin import ArgumentOrigin
from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.values.argument_value import (
    ArgumentValue,
    ValueRole,
)
from controlplane.sandbox.interface import Plain, bounds
from tests.support.executed_work import assert_linear


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


def call_with_untrusted_values(count: int) -> ChangingCall:
    """Return a call with `count` ids and `count` amounts, all only from running text."""
    origins = {
        "ids": untrusted_values("id-", count),
        "amounts": untrusted_values("5", count),
    }
    return ChangingCall("pay", {}, origins, mode="ask")


def test_checking_many_untrusted_values_is_linear_work() -> None:
    """None of the values has been accepted yet."""

    def check(count: int) -> None:
        call = call_with_untrusted_values(count)
        call.unaccepted_values(AcceptedValues(), 1)
        call.values_to_accept()

    assert_linear(check, 200)


def test_all_of_many_untrusted_values_have_to_be_accepted() -> None:
    count = 3_000
    call = call_with_untrusted_values(count)

    unaccepted = call.unaccepted_values(AcceptedValues(), 1)
    values_to_accept = call.values_to_accept()

    assert unaccepted.keys() == {"ids", "amounts"}
    assert len(unaccepted["ids"]) == count
    assert len(unaccepted["amounts"]) == count
    assert len(values_to_accept) == 2 * count


def test_values_that_were_not_looked_up_are_not_accepted_like_copied_text() -> None:
    """The model has insisted on forwarding a mail, so the details in other forwarded texts, such as
    order numbers, are accepted. But the last values of a list that is too long were not looked up,
    and any of them may be an account."""
    order_number = ArgumentValue("inv-17", keys=("inv-17",), role=ValueRole.DETAIL)
    forwarded_text = ArgumentOrigin((Finding(order_number, Origin.PROSE),))
    forwarding = ChangingCall("forward", {}, {"body": forwarded_text}, mode="ask")
    accepted = AcceptedValues()
    accepted.add(forwarding.values_to_accept(), step=1)
    recipients: list[Plain] = []
    for number in range(bounds.MOST_TRACED_VALUES + 1):
        recipients.append(f"account-{number}")
    arguments: dict[str, Plain] = {"recipients": recipients}
    origins = Provenance().origins(arguments)
    payment = ChangingCall("pay_all", arguments, origins, mode="ask")

    unaccepted = payment.unaccepted_values(accepted, last_step=2)

    assert unaccepted.keys() == {"recipients"}
