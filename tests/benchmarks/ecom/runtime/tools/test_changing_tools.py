"""The tools that change records change what they say, and no more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.shop_records import ACTIVE, Verification
from tests.benchmarks.ecom.runtime.tools.tool_calls import run


def change(shop: World, name: str, *arguments: str) -> dict[str, Any]:
    """Run a tool that must succeed, and return what it changed, parsed."""
    runtime = EcomEnvironment(shop.workspace())
    result = runtime.call("exec", {"path": f"/bin/{name}", "args": list(arguments)})
    assert (result["exit_code"], result["stderr"]) == (0, "")
    return {path: json.loads(text or "null") for path, text in runtime.changes.items()}


@pytest.mark.parametrize(("percent", "is_taken"), [("0", False), ("1", True), ("100", True), ("101", False)])
def test_a_discount_is_a_percentage(shop: World, percent: str, is_taken: bool) -> None:
    basket = next(iter(shop.baskets.values()))
    assert (run(shop, "discount", basket.id, percent, "x", "y")[2] == 0) is is_taken


def test_checkout_changes_the_status_alone(shop: World) -> None:
    basket = next(each for each in shop.baskets.values() if each.status == ACTIVE)
    assert change(shop, "checkout", basket.id) == {shop.path(basket): {**basket.data(), "status": "checked_out"}}


def test_discount_enforces_no_policy(shop: World) -> None:
    basket = next(each for each in shop.baskets.values() if each.status != ACTIVE)
    changed = change(shop, "discount", basket.id, "99", "no_such_reason", "nobody")
    discount = {"percent": 99, "reason_code": "no_such_reason", "issuer_id": "nobody"}
    assert changed == {shop.path(basket): {**basket.data(), "discount": discount}}
    assert list(changed[shop.path(basket)])[-2:] == ["discount", "lines"]


def test_a_restarted_verification_counts_and_waits(shop: World) -> None:
    payment = next(iter(shop.payments.values()))
    payment.verification = Verification("abandoned", 1, 3, "2027-01-01T00:00:00Z")
    after = change(shop, "payments", "restart-verification", payment.id)[shop.path(payment)]
    assert after["status"] == payment.status
    assert (after["verification"]["state"], after["verification"]["attempts"]) == ("challenge_open", 2)
    assert after["verification"]["retry_after"] == shop.ago(minutes=-shop.policy.verification_delay_min)


@pytest.mark.parametrize(("step", "status"), [("approve", "refund_pending"), ("close", "closed")])
def test_a_refund_step_sets_the_status_alone(shop: World, step: str, status: str) -> None:
    returned = next(iter(shop.returns.values()))
    assert change(shop, "refund", step, returned.id) == {shop.path(returned): {**returned.data(), "status": status}}
