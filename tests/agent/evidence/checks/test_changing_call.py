"""A call that changes something is checked for values that only untrusted texts have.

`pay(ids=["id-0"], amounts=["50"])` may have its values from a mail, whose author may be an
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


def untrusted_values(prefix: str, count: int) -> ArgumentOrigin:
    """Return what was found out of an argument whose values are all from a mail.

    `untrusted_values("id-", 2)` stands for the argument `["id-0", "id-1"]`.
    """
    findings: list[Finding] = []
    for number in range(count):
        text = f"{prefix}{number}"
        value = ArgumentValue(text, main_key=text, role=ValueRole.WHOLE)
        findings.append(Finding(value, Origin.PROSE))
    return ArgumentOrigin(tuple(findings))


def call_with_untrusted_values(count: int) -> ChangingCall:
    """Return a call with `count` ids and `count` amounts, all of which are from a mail.

    With the mode `ask`, the model may accept them.
    """
    origins = {
        "ids": untrusted_values("id-", count),
        "amounts": untrusted_values("5", count),
    }
    return ChangingCall("pay", {}, origins, mode="ask")


class TestManyValues:
    """A call with thousands of untrusted values is checked in time, and for all of them.

    `call_with_untrusted_values(2)` is `pay(ids=["id-0", "id-1"], amounts=["50", "51"])`, whose
    values are all from a mail.
    """

    def test_checking_many_untrusted_values_is_linear_work(self) -> None:
        """None of the values has been accepted before, so all of them are looked up in vain."""

        def check(count: int) -> None:
            call = call_with_untrusted_values(count)
            call.unaccepted_values(AcceptedUses(), last_step=1)
            call.uses_to_accept()

        assert_linear(check, 200)

    def test_all_of_many_untrusted_values_have_to_be_accepted(self) -> None:
        """The call is held for all of them, and none is left out."""
        call = call_with_untrusted_values(3_000)
        nothing_accepted = AcceptedUses()

        unaccepted = call.unaccepted_values(nothing_accepted, last_step=1)

        assert unaccepted.keys() == {"ids", "amounts"}
        assert len(unaccepted["ids"]) == 3_000
        assert len(unaccepted["amounts"]) == 3_000

    def test_all_of_many_untrusted_values_can_be_accepted(self) -> None:
        """They are 3,000 ids and 3,000 amounts."""
        call = call_with_untrusted_values(3_000)

        assert len(call.uses_to_accept()) == 6_000


class TestValuesThatWereNotLookedUp:
    """Beyond a number of values, nothing is known of a value, so it is not accepted."""

    def test_values_that_were_not_looked_up_are_not_accepted_like_copied_text(
        self,
    ) -> None:
        """1. The model insists on forwarding a mail with an order number. From then on, such
        details are
           accepted in every text that it copies.
        2. It pays to a list of accounts, which has one more than can be looked up
        (`MOST_TRACED_VALUES`).
        3. The last one may be anything, so it is not accepted as a detail of a copied text."""
        order_number = ArgumentValue("inv-17", main_key="inv-17", role=ValueRole.DETAIL)
        forwarded_text = ArgumentOrigin((Finding(order_number, Origin.PROSE),))
        forwarding = ChangingCall("forward", {}, {"body": forwarded_text}, mode="ask")
        accepted = AcceptedUses()
        accepted.add(forwarding.uses_to_accept(), step=1)

        recipients: list[Plain] = []
        for number in range(bounds.MOST_TRACED_VALUES + 1):
            recipients.append(f"account-{number}")
        arguments: dict[str, Plain] = {"recipients": recipients}
        origins = find_origins(Provenance(), arguments)
        payment = ChangingCall("pay_all", arguments, origins, mode="ask")

        unaccepted = payment.unaccepted_values(accepted, last_step=2)

        assert unaccepted.keys() == {"recipients"}
