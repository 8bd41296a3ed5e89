"""Every tool explains itself, and fails on stderr without a change."""

from __future__ import annotations

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.runtime.tools.tool_calls import run


@pytest.mark.parametrize(
    "name", ["availability", "cat", "checkout", "date", "discount", "id", "jq", "payments", "refund", "sql"]
)
def test_every_tool_explains_itself(shop: World, name: str) -> None:
    out, err, code = run(shop, name, "--help")
    assert (out.startswith(f"usage: {name}"), err, code) == (True, "", 0)


@pytest.mark.parametrize(
    "command",
    [
        ("checkout",),
        ("checkout", "basket-none"),
        ("checkout", "*"),
        ("discount", "x", "5"),
        ("discount", "x", "1.5", "a", "b"),
        ("discount", "x", "-5", "a", "b"),
        ("discount", "x", "²", "a", "b"),
        ("payments",),
        ("payments", "pay", "x"),
        ("payments", "restart-verification", "none"),
        ("refund",),
        ("refund", "approve"),
        ("refund", "reject", "x"),
        ("id", "me"),
        ("date", "+1"),
        ("jq",),
        ("availability", "/AGENTS.MD"),
        ("sql", "select 1", "select 2"),
    ],
)
def test_a_wrong_command_fails_on_stderr_and_changes_nothing(shop: World, command: tuple[str, ...]) -> None:
    runtime = EcomEnvironment(shop.workspace())
    result = runtime.call("exec", {"path": f"/bin/{command[0]}", "args": list(command[1:])})
    assert (result["exit_code"], result["stdout"]) == (1, "")
    assert str(result["stderr"]).startswith(f"{command[0]}: ")
    assert not runtime.changes


def test_a_damaged_record_is_a_failure_of_the_tool(shop: World) -> None:
    basket = next(iter(shop.baskets.values()))
    runtime = EcomEnvironment(shop.workspace())
    runtime.call("write", {"path": shop.path(basket), "content": "{"})
    result = runtime.call("exec", {"path": "/bin/discount", "args": [basket.id, "5", "x", "y"]})
    assert result["exit_code"] == 1
    assert runtime.call("exec", {"path": "/bin/sql", "args": ["select count(*) from baskets"]})["exit_code"] == 0
