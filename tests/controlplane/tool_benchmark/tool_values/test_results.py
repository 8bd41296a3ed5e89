"""What the function of a tool returns becomes JSON for the script, which runs in another process.

For example:

    Line(sku="a")                ->    {"sku": "a", "count": 1}
    datetime(2026, 1, 2, ...)    ->    "2026-01-02T00:00:00Z"
"""

import dataclasses
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from controlplane import Tool
from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.declared_tools import declared
from tests.controlplane.tool_benchmark.tool_values.order_tool import Line, Size


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "expected_json"),
    [
        pytest.param(Line(sku="a"), {"sku": "a", "count": 1}, id="pydantic model"),
        pytest.param(Point(1), {"x": 1}, id="dataclass"),
        pytest.param(
            [datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)],
            ["2026-01-02T00:00:00Z", "2026-01-02"],
            id="times",
        ),
        pytest.param(
            {"sum": Decimal("1.10"), 3: {1}},
            {"sum": "1.10", "3": [1]},
            id="decimal, number as a key, set",
        ),
        pytest.param(b"plain", "plain", id="bytes that are text"),
        pytest.param({"raw": b"\xff\x00"}, {"raw": "_wA="}, id="bytes as Base64"),
        pytest.param(None, None, id="None"),
        pytest.param(Size.SMALL, "small", id="enum"),
    ],
)
def test_a_result_of_any_type_becomes_json(
    value: object, expected_json: object
) -> None:
    tool = declared(Tool(lambda: value, "returns", name="look"))
    result = tool.result({}, value)

    assert json.loads(str(result["value"])) == expected_json


def test_a_result_that_cannot_become_json_is_an_error_with_the_tools_name() -> None:
    """The function returns a plain object, whose fields nobody knows."""
    tool = declared(Tool(object, "returns", name="look"))

    with pytest.raises(CallError, match="look returned object, which is no data"):
        tool.result({}, object())
