"""What the function of a tool returns becomes JSON for the script, which runs in another process.

For example:

    Line(sku="a", count=1)       ->    {"sku": "a", "count": 1}
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


def look() -> None:
    """A tool's function, which is not called here: the tests say what it has returned."""


LOOK = declared(Tool(look, "returns"))
"""The tool as scripts know it. It only reads ("returns")."""


@pytest.mark.parametrize(
    ("returned", "expected_json"),
    [
        pytest.param(
            Line(sku="a"),  # count=1 is the default
            {"sku": "a", "count": 1},
            id="pydantic model",
        ),
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
    returned: object, expected_json: object
) -> None:
    result = LOOK.result(arguments={}, value=returned)

    assert json.loads(str(result["value"])) == expected_json


def test_a_result_that_cannot_become_json_is_an_error_with_the_tools_name() -> None:
    """The function has returned a plain object, whose fields nobody knows."""
    with pytest.raises(CallError, match="look returned object, which is no data"):
        LOOK.result(arguments={}, value=object())
