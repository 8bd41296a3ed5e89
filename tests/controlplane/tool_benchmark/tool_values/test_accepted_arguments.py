"""A script passes JSON to a tool, and the tool's function gets objects of its signature.

def order(lines: list[Line], size: Size, price: float, due: date | None = None, ...): ...

harness.order(lines=[{"sku": "a"}], size="large", price=2, due="2026-03-01")
    -> order([Line(sku="a")], Size.LARGE, 2.0, date(2026, 3, 1))
"""

from datetime import date
from typing import Any

import pytest

from tests.controlplane.tool_benchmark.declared_tools import call_arguments
from tests.controlplane.tool_benchmark.tool_values.order_tool import (
    ORDER_TOOL,
    Line,
    Size,
)


@pytest.mark.parametrize(
    "optional_arguments",
    [
        pytest.param({}, id="required arguments"),
        pytest.param(
            {"due": None, "mode": "fast", "notes": {"a": "b"}}, id="all arguments"
        ),
    ],
)
def test_arguments_that_fit_the_signature_are_accepted(
    optional_arguments: dict[str, Any],
) -> None:
    """`order(lines, size, price)` needs the first three, and has defaults for the others."""
    arguments = call_arguments(
        ORDER_TOOL, lines=[{"sku": "a"}], size="small", price=1, **optional_arguments
    )

    assert arguments["price"] == 1


def test_a_function_gets_arguments_of_the_types_in_its_signature() -> None:
    """Scripts pass JSON: a text for a date or an enum, a dict for a model."""
    arguments = call_arguments(
        ORDER_TOOL, lines=[{"sku": "a"}], size="large", price=2, due="2026-03-01"
    )

    assert arguments == {
        "lines": [Line(sku="a")],
        "size": Size.LARGE,
        "price": 2.0,
        "due": date(2026, 3, 1),
    }
