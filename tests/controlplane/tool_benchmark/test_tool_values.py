"""Values that go into a tool and come out of it: JSON for scripts, Python objects for the function.

    def order(lines: list[Line], size: Size, price: float, due: date | None = None): ...

    harness.order(lines=[{"sku": "a"}], size="large", price=2, due="2026-03-01")
        -> order([Line(sku="a")], Size.LARGE, 2.0, date(2026, 3, 1))

The signature of the function says what a script may pass.
"""

import dataclasses
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from controlplane import Tool
from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.declared_tools import call_arguments, declared


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Line(BaseModel):
    sku: str
    count: int = 1


def order(
    lines: list[Line],
    size: Size,
    price: Annotated[float, Field(ge=0, description="in euros")],
    due: date | None = None,
    notes: dict[str, str] | None = None,
    mode: Literal["fast", "slow"] = "slow",
) -> dict[str, object]:
    """Order something.

    A second paragraph.
    """
    return {"lines": lines, "size": size, "price": price}


ORDER_TOOL = declared(Tool(order, "acts"))
ONE_LINE = [{"sku": "a"}]


class TestAcceptedArguments:
    """A script passes JSON to a tool, and its function gets objects of its signature.

    The function is `order(lines: list[Line], size: Size, price: float, due=None, notes=None,
    mode="slow")`, where `Line` is a model with a `sku` and a `count`, and `Size` an enum.
    """

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
        self, optional_arguments: dict[str, Any]
    ) -> None:
        """`order(lines, size, price)` needs the first three, and has defaults for the others."""
        arguments = call_arguments(
            ORDER_TOOL, lines=ONE_LINE, size="small", price=1, **optional_arguments
        )

        assert arguments["price"] == 1

    def test_a_function_gets_arguments_of_the_types_in_its_signature(self) -> None:
        """Scripts pass JSON: a text for a date or an enum, a dict for a model."""
        arguments = call_arguments(
            ORDER_TOOL, lines=ONE_LINE, size="large", price=2, due="2026-03-01"
        )

        assert arguments == {
            "lines": [Line(sku="a")],
            "size": Size.LARGE,
            "price": 2.0,
            "due": date(2026, 3, 1),
        }


class TestRefusedArguments:
    """An argument that does not fit the signature of `order` is refused.

    `order` needs `lines`, such as `[{"sku": "a"}]`, `size` ("small" or "large") and `price`,
    which is at least 0. The message says what was passed, and what is asked for.
    """

    @pytest.mark.parametrize(
        ("wrong_argument", "message"),
        [
            pytest.param(
                {"size": "huge"},
                "size is 'small' | 'large', not str 'huge'",
                id="no value of the enum",
            ),
            pytest.param(
                {"price": "1"}, "price is float, not str '1'", id="a text as a number"
            ),
            pytest.param(
                {"price": True}, "price is float, not bool True", id="True as a number"
            ),
            pytest.param(
                {"price": -1},
                "price is at least 0, not -1",
                id="a number below the least",
            ),
            pytest.param(
                {"notes": {"a": 1}},
                "notes['a'] is str, not int 1",
                id="a number as a value of a dict of texts",
            ),
            pytest.param(
                {"lines": [{"count": 1}]},
                "lines[0] needs the key 'sku'",
                id="a model without a required field",
            ),
            pytest.param(
                {"lines": [{"sku": "a", "count": "1"}]},
                "lines[0]['count'] is int, not str '1'",
                id="a text as a number in a model",
            ),
        ],
    )
    def test_an_argument_that_does_not_fit_the_signature_is_refused_before_the_call(
        self, wrong_argument: dict[str, Any], message: str
    ) -> None:
        """All other arguments are right."""
        arguments = {"lines": ONE_LINE, "size": "small", "price": 1, **wrong_argument}

        with pytest.raises(TypeError) as refusal:
            call_arguments(ORDER_TOOL, **arguments)

        assert message in str(refusal.value)

    def test_a_call_without_a_required_argument_is_refused(self) -> None:
        with pytest.raises(TypeError, match="needs 'price'"):
            call_arguments(ORDER_TOOL, lines=ONE_LINE, size="small")

    def test_an_argument_that_cannot_be_converted_is_an_error_of_the_call(self) -> None:
        """The script passes "someday", which is a text, as a date is in JSON, but not a date."""
        with pytest.raises(CallError, match=r"due: .*valid date"):
            call_arguments(
                ORDER_TOOL, lines=ONE_LINE, size="large", price=2, due="someday"
            )


@dataclasses.dataclass
class Point:
    x: int


class TestResults:
    """What the function of a tool returns becomes JSON for the script.

    Scripts run in another process. So `Line(sku="a")` becomes `{"sku": "a", "count": 1}`, and a
    time becomes a text.
    """

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
        self, value: object, expected_json: object
    ) -> None:
        tool = declared(Tool(lambda: value, "returns", name="look"))
        result = tool.result({}, value)

        assert json.loads(str(result["value"])) == expected_json

    def test_a_result_that_cannot_become_json_is_an_error_with_the_tools_name(
        self,
    ) -> None:
        """The function returns a plain object, whose fields nobody knows."""
        tool = declared(Tool(object, "returns", name="look"))

        with pytest.raises(CallError, match="look returned object, which is no data"):
            tool.result({}, object())
