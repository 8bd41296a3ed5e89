"""A call that changes something is checked for values that only untrusted texts have.

`pay(ids=["id-4"], amounts=["12"])` may have its values from a mail, whose author may be an
attacker. Such values are untrusted until the model accepts them, by making the call again in a
later step. A call may have thousands of them, and checking it must not take long.
"""

from __future__ import annotations

from controlplane.agent.evidence.checks.accepted_uses import AcceptedUses
from controlplane.agent.evidence.checks.changing_call import ChangingCall
from controlplane.agent.evidence.origins.argument_lookup import find_origins
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


def from_mail(*texts: str) -> ArgumentOrigin:
    """Return what was found out of an argument that has these values, all of them from a mail."""
    findings: list[Finding] = []
    for text in texts:
        value = ArgumentValue(text, main_key=text, role=ValueRole.WHOLE)
        findings.append(Finding(value, Origin.PROSE))  # only in running text
    return ArgumentOrigin(tuple(findings))


class TestUnacceptedValues:
    """A call is held for its untrusted values, until the model has accepted them."""

    def test_values_of_a_mail_hold_a_call(self) -> None:
        origins = {"ids": from_mail("id-4", "id-7"), "amounts": from_mail("12")}
        call = ChangingCall("pay", {}, origins, mode="ask")

        unaccepted = call.unaccepted_values(AcceptedUses(), last_step=1)

        assert {name: len(findings) for name, findings in unaccepted.items()} == {
            "ids": 2,
            "amounts": 1,
        }

    def test_accepted_values_do_not_hold_the_call(self) -> None:
        origins = {"ids": from_mail("id-4", "id-7"), "amounts": from_mail("12")}
        call = ChangingCall("pay", {}, origins, mode="ask")
        accepted = AcceptedUses()
        accepted.add(call.uses_to_accept(), step=1)

        assert call.unaccepted_values(accepted, last_step=1) == {}

    def test_values_that_were_not_looked_up_are_not_accepted_like_copied_text(
        self,
    ) -> None:
        """The model insists on forwarding a mail with an order number. From then on, such details
        are accepted in every text that it copies. Then it pays to a list of accounts, with one more
        than can be looked up. The last one may be anything, so it is not accepted as a detail."""
        order_number = ArgumentValue("inv-17", main_key="inv-17", role=ValueRole.DETAIL)
        forwarded_text = ArgumentOrigin((Finding(order_number, Origin.PROSE),))
        forwarding = ChangingCall("forward", {}, {"body": forwarded_text}, mode="ask")
        accepted = AcceptedUses()
        accepted.add(forwarding.uses_to_accept(), step=1)

        recipients: list[Plain] = []
        for number in range(bounds.MOST_TRACED_VALUES + 1):
            recipients.append(f"account-{number}")
        origins = find_origins(Provenance(), {"recipients": recipients})
        payment = ChangingCall(
            "pay_all", {"recipients": recipients}, origins, mode="ask"
        )

        unaccepted = payment.unaccepted_values(accepted, last_step=2)

        assert unaccepted.keys() == {"recipients"}


def call_with_many_values(count: int) -> ChangingCall:
    """Return `pay(ids=["id-0", "id-1", ...], amounts=["0", "1", ...])`, with values of a mail."""
    numbers = [str(number) for number in range(count)]
    origins = {
        "ids": from_mail(*[f"id-{number}" for number in numbers]),
        "amounts": from_mail(*numbers),
    }
    return ChangingCall("pay", {}, origins, mode="ask")


class TestManyValues:
    """A call with thousands of untrusted values is checked in time, and for all of them."""

    def test_checking_many_untrusted_values_is_linear_work(self) -> None:
        """None of the values has been accepted before, so all of them are looked up in vain."""

        def check(count: int) -> None:
            call = call_with_many_values(count)
            call.unaccepted_values(AcceptedUses(), last_step=1)
            call.uses_to_accept()

        assert_linear(check, 200)

    def test_all_of_many_untrusted_values_have_to_be_accepted(self) -> None:
        call = call_with_many_values(3_000)

        unaccepted = call.unaccepted_values(AcceptedUses(), last_step=1)

        assert unaccepted.keys() == {"ids", "amounts"}
        assert len(unaccepted["ids"]) == 3_000
        assert len(unaccepted["amounts"]) == 3_000

    def test_all_of_many_untrusted_values_can_be_accepted(self) -> None:
        call = call_with_many_values(3_000)

        assert len(call.uses_to_accept()) == 6_000  # 3,000 ids and 3,000 amounts
