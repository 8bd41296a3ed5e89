"""A tool of the shop checks all its arguments before it does anything.

If one is wrong, it says so in a line on stderr that begins with the tool's name, prints nothing else, and
ends with the exit code 1.
"""

import pytest

from tests.benchmarks.ecom.tools.tool_runs import run_tool
from tests.benchmarks.shop.functions.written_shop import written_shop


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("checkout",), id="checkout without a basket"),
        pytest.param(("checkout", "basket-none"), id="unknown basket"),
        pytest.param(("checkout", "*"), id="pattern for all baskets"),
        pytest.param(("discount", "x", "5"), id="discount without a reason"),
        pytest.param(("discount", "x", "1.5", "a", "b"), id="half a percent"),
        pytest.param(("discount", "x", "-5", "a", "b"), id="negative percentage"),
        pytest.param(
            ("discount", "x", "²", "a", "b"), id="percentage in another digit"
        ),
        pytest.param(("payments",), id="payments without a subcommand"),
        pytest.param(("payments", "pay", "x"), id="unknown subcommand of payments"),
        pytest.param(
            ("payments", "restart-verification", "none"), id="unknown payment"
        ),
        pytest.param(("refund",), id="refund without a subcommand"),
        pytest.param(("refund", "approve"), id="refund without a return"),
        pytest.param(("refund", "reject", "x"), id="unknown subcommand of refund"),
        pytest.param(("id", "me"), id="argument of a tool that has none"),
        pytest.param(("date", "+1"), id="argument of the date"),
        pytest.param(("jq",), id="jq without a filter"),
        pytest.param(
            ("availability", "/AGENTS.MD"), id="availability without a product"
        ),
        pytest.param(("sql", "select 1", "select 2"), id="two queries"),
    ],
)
def test_a_wrong_command_fails_on_stderr_and_changes_nothing(
    command: tuple[str, ...],
) -> None:
    shop = written_shop({})
    tool, *arguments = command

    result = run_tool(shop, tool, *arguments)

    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(f"{tool}: ")
    assert not shop.changes
