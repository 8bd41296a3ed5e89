"""A refund is expected as roles, the states of return and payment, and the policy's two steps have it."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED
from tests.benchmarks.shop.computed.expected_deeds import Changes, expected
from tests.benchmarks.shop.computed.small_shop import (
    CLERK,
    CUSTOMER,
    PAYMENT_2,
    REFUNDS,
    RETURN,
    RETURN_2,
    SECURITY,
    STAFF,
    done,
    seen_before,
    summary,
)

GRANT, FINISH = "Approve the refund of ret-1.", "Finish the refund of ret-1."
ACCEPTED, DUE, DONE = {"status": "accepted"}, {"status": "due"}, {"status": "done"}
CITED = {RETURN, PAYMENT_2, REFUNDS}


@pytest.mark.parametrize(
    ("identity", "records", "outcome"),
    [
        (STAFF, {}, OK),
        (STAFF, {RETURN: DUE, RETURN_2: ACCEPTED}, UNSUPPORTED),
        (STAFF, {PAYMENT_2: {"status": "waiting"}, "/proc/payments/pay-3.json": {"status": "settled"}}, UNSUPPORTED),
        (CUSTOMER, {RETURN: DUE, RETURN_2: ACCEPTED}, OK),
        (CUSTOMER, {RETURN_2: DUE}, UNSUPPORTED),
    ],
)
@pytest.mark.parametrize("named", ["ret-1", "pay-2", "ret-1 for pay-2"])
def test_each_step_needs_its_state(identity: str, records: Changes, outcome: str, named: str) -> None:
    also = {} if RETURN_2 in records else {"/proc/returns/ret-3.json": {**DUE, "id": "ret-3", "payment_id": "pay-1"}}
    asked = (GRANT if identity is STAFF else FINISH).replace("ret-1", named)
    found = expected(asked, identity, {**also, **records})
    step = "grant" if identity is STAFF else "finish"
    tolerated = {CLERK} if identity is STAFF else set()
    assert summary(found) == (outcome, CITED, tolerated, set(), ("/bin/refund", step, "ret-1"))


STATES = {RETURN_2: DUE}


def test_who_lacks_the_role_is_denied() -> None:
    packer = "user: emp-1\nroles: employee, packer"
    found = expected(GRANT, packer, STATES)
    assert summary(found) == (DENIED, {SECURITY}, {RETURN, PAYMENT_2, CLERK}, set(), ())


def test_a_payment_without_a_return_cannot_be_refunded() -> None:
    records = {RETURN: {**ACCEPTED, "payment_id": "pay-1"}, RETURN_2: DUE}
    found = expected("Approve the refund of pay-2.", STAFF, records)
    assert summary(found) == (UNSUPPORTED, {PAYMENT_2, REFUNDS}, set(), set(), ())


def test_a_payment_with_two_returns_or_another_ones_return_is_not_certain() -> None:
    assert expected("Approve the refund of pay-2.", STAFF, {RETURN_2: {**DUE, "payment_id": "pay-2"}}) is None
    assert expected("Approve the refund of ret-1 for pay-1.", STAFF, STATES) is None


@pytest.mark.parametrize(
    ("now", "before", "outcome", "may_be"),
    [(DUE, None, OK, {UNSUPPORTED}), (DUE, ACCEPTED, OK, set()), (ACCEPTED, DUE, UNSUPPORTED, set())],
)
def test_a_return_that_was_moved_counts_as_it_was_before(
    now: dict[str, str], before: dict[str, str] | None, outcome: str, may_be: set[str]
) -> None:
    granted = done("/bin/refund", "grant ret-1")
    evidence = seen_before(granted) if before is None else seen_before(granted, RETURN=before)
    records = {
        RETURN: now,
        RETURN_2: DUE,
        "/proc/returns/ret-3.json": {**ACCEPTED, "id": "ret-3", "payment_id": "pay-1"},
    }
    found = summary(expected(GRANT, STAFF, records, evidence))
    assert (found[0], found[3]) == (outcome, may_be)


def test_a_return_that_is_no_record_does_not_keep_another_from_being_refunded() -> None:
    broken = {"/proc/returns/ret-0.json": "to be scanned"}
    found = expected(GRANT, STAFF, STATES, documents=broken)
    assert summary(found) == (OK, CITED, {CLERK}, set(), ("/bin/refund", "grant", "ret-1"))
