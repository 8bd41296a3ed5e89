"""A restart of a card verification is expected as its state, its attempts, the clock and the policy have it."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED
from tests.benchmarks.shop.computed.expected_deeds import expected
from tests.benchmarks.shop.computed.small_shop import (
    CHECK,
    CHECKOUT,
    NOW,
    PAYMENT,
    SECURITY,
    SOLD,
    STAFF,
    VERIFICATION,
    done,
    seen_before,
    summary,
)

ASKED = "Restart the card verification of pay-1."
DEED = ("/bin/payments", "redo", "pay-1")
LATER = "2031-05-04T10:00:01Z"


def check(**fields: object) -> dict[str, object]:
    return {"verification": {**CHECK, **fields}}


@pytest.mark.parametrize(
    "asked", [ASKED, "Retry the bank check of basket-3.", "Restart the 3DS of pay-1 for basket-3."]
)
@pytest.mark.parametrize(
    "fields", [check(), check(state="late"), check(state="held", retry_after=NOW), check(retry_after=LATER)]
)
def test_a_check_that_does_not_block_is_restarted(asked: str, fields: dict[str, object]) -> None:
    found = expected(asked, records={PAYMENT: fields})
    assert summary(found) == (OK, {PAYMENT, SOLD, VERIFICATION, SECURITY, CHECKOUT}, set(), set(), DEED)
    assert found.states is None


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"status": "settled"}, "settled"),
        (check(attempts=3), "3"),
        (check(attempts=2, max_attempts=2), "2"),
        (check(state="held", retry_after=LATER), LATER),
        (check(state="passed"), "passed"),
    ],
)
def test_what_blocks_is_told_as_recorded(fields: dict[str, object], told: str) -> None:
    found = expected(ASKED, records={PAYMENT: fields})
    assert summary(found) == (UNSUPPORTED, {PAYMENT, SOLD, VERIFICATION}, set(), set(), DEED)
    assert found.states(f"It cannot be done: {told}.")
    assert not found.states("It cannot be done.")


@pytest.mark.parametrize(
    ("now", "before", "outcome", "may_be"),
    [
        (check(attempts=3), None, OK, {UNSUPPORTED}),
        (check(state="held", retry_after=LATER), None, OK, {UNSUPPORTED}),
        (check(attempts=3), check(attempts=2), OK, set()),
        (check(attempts=2), check(attempts=3), UNSUPPORTED, set()),
        ({"status": "settled"}, None, UNSUPPORTED, set()),
    ],
)
def test_a_payment_that_was_restarted_counts_as_it_was_before(
    now: dict[str, object], before: dict[str, object] | None, outcome: str, may_be: set[str]
) -> None:
    restarted = done("/bin/payments", "redo pay-1")
    evidence = seen_before(restarted) if before is None else seen_before(restarted, PAYMENT=before)
    found = summary(expected(ASKED, records={PAYMENT: now}, evidence=evidence))
    assert (found[0], found[3]) == (outcome, may_be)


def test_who_asks_and_for_which_basket_must_be_certain() -> None:
    assert expected(ASKED, STAFF) is None
    assert expected("Restart the card verification of pay-1 for basket-1.") is None
    assert expected(ASKED, records={SOLD: {"status": "open"}}) is None


def test_another_customers_verification_is_denied() -> None:
    found = expected(ASKED.replace("pay-1", "pay-3"))
    assert summary(found) == (DENIED, {SECURITY}, set(), set(), ())
    found = expected(ASKED, records={SOLD: {"customer_id": "cust-9"}})
    assert summary(found) == (DENIED, {SECURITY}, {PAYMENT}, set(), ())


def test_a_policy_that_names_no_field_of_the_instant_is_not_certain() -> None:
    text = "A `waiting` payment belongs to a `sold` basket.\n\n`/bin/payments redo <payment_id>` at `held`."
    assert expected(ASKED, documents={VERIFICATION: text}) is None
    assert expected(ASKED, records={PAYMENT: {"status": "settled"}}, documents={VERIFICATION: text}) is None
