"""Tools of the shop that read or change a record, which has odd texts, huge numbers or no object at all.

`/bin/availability /tmp/s X` counts the units of X in the record /tmp/s. `/bin/checkout hostile` changes the
basket in the file hostile.json. A tool works, or says in one line why not, and has no effect on later calls.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from tests.benchmarks.ecom.hostile.hostile_cases import ROOTS, Case, tool
from tests.benchmarks.ecom.hostile.hostile_texts import (
    DEEP,
    HUGE_STOCK,
    NINES,
    basket_with,
)
from tests.benchmarks.ecom.hostile.tool_failures import failures_of, harmless_results

pytestmark = pytest.mark.second_tier

CASES = {
    "availability of a list as SKU": tool(
        "availability",
        "/tmp/s",
        "X",
        files={
            "/tmp/s": '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}'
        },
    ),
    "availability of huge numbers": tool(
        "availability", "/tmp/s", "X", files={"/tmp/s": HUGE_STOCK}
    ),
    "availability of many": tool(
        "availability",
        "/tmp/s",
        *["X"] * 999,
        files={"/tmp/s": '{"inventory": []}'},
    ),
    "availability of no record": tool(
        "availability", "/tmp/s", "X", files={"/tmp/s": "null"}
    ),
    "availability of a deep list": tool(
        "availability", "/tmp/s", "X", files={"/tmp/s": DEEP}
    ),
    "checkout of a surrogate": tool(
        "checkout", "hostile", baskets=basket_with('"note": "\\ud800"')
    ),
    "checkout of no number": tool(
        "checkout", "hostile", baskets=basket_with('"note": NaN')
    ),
    "checkout of a list": tool("checkout", "hostile", baskets="[1]"),
    "checkout of a large basket": tool(
        "checkout", "hostile", baskets=basket_with('"note": "%s"' % ("é" * 800_000))
    ),
    "checkout without a name": tool(
        "checkout", "", files={f"{ROOTS['baskets']}/.json": "{}"}
    ),
    "discount of no lines": tool(
        "discount", "hostile", "5", "r", "i", baskets='{"lines": null}'
    ),
    "discount of many digits": tool(
        "discount", "hostile", "9" * 5_000, "r", "i", baskets="{}"
    ),
    "discount of other digits": tool(
        "discount", "hostile", "\uff11\uff12", "r", "i", baskets="{}"
    ),
    "attempts of many digits": tool(
        "payments",
        "restart-verification",
        "hostile",
        payments=f'{{"verification": {{"attempts": {NINES}}}}}',
    ),
    "verification that is a list": tool(
        "payments",
        "restart-verification",
        "hostile",
        payments='{"verification": []}',
    ),
    "refund of a string": tool("refund", "close", "hostile", returns='"x"'),
    "refund with odd words": tool(
        "refund", "close", "hostile\x00\n\ud800", returns="{}"
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    results_before = harmless_results(shop)

    failures = failures_of(shop, case)

    assert [failure for failure in failures if not failure.is_clear] == []
    assert harmless_results(shop) == results_before
