"""An argument that does not fit the signature of a tool's function is refused before the call.

    harness.order(lines=[{"sku": "a"}], size="huge", price=1)
        -> TypeError: size is 'small' | 'large', not str 'huge'

`order` needs `lines`, `size` ("small" or "large") and `price`, which is at least 0.
"""

from typing import Any

import pytest

from controlplane.sandbox.interface import CallError
from tests.controlplane.tool_benchmark.declared_tools import call_arguments
from tests.controlplane.tool_benchmark.tool_values.order_tool import ORDER_TOOL


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
    wrong_argument: dict[str, Any], message: str
) -> None:
    arguments = {"lines": [{"sku": "a"}], "size": "small", "price": 1, **wrong_argument}

    with pytest.raises(TypeError) as refusal:
        call_arguments(ORDER_TOOL, **arguments)

    assert message in str(refusal.value)


def test_a_call_without_a_required_argument_is_refused() -> None:
    with pytest.raises(TypeError, match="needs 'price'"):
        call_arguments(ORDER_TOOL, lines=[{"sku": "a"}], size="small")


def test_an_argument_that_cannot_be_converted_is_an_error_of_the_call() -> None:
    """The script passes "someday", which is a text, as a date is in JSON, but not a date."""
    with pytest.raises(CallError, match=r"due: .*valid date"):
        call_arguments(
            ORDER_TOOL, lines=[{"sku": "a"}], size="large", price=2, due="someday"
        )
