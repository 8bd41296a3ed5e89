"""A host that returns something else than plain data fails the call that it answers.

The host answers calls of scripts. Its result is sent to the script as JSON, so it must be a mapping
such as `{"paths": ["/a"]}`. For bytes, a set or 100,000 levels, the script gets one short error.
"""

import pytest

from tests.sandbox.interface.operations.broken_hosts import error_of_broken_host
from tests.sandbox.interface.operations.unusual_results import (
    UnreadableMapping,
    mapping_in_itself,
    nested_list,
)


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(None, id="None"),
        pytest.param([], id="a list"),
        pytest.param("text", id="a text"),
        pytest.param({"content": b"x"}, id="a mapping with bytes"),
        pytest.param({"paths": {"/a"}}, id="a mapping with a set"),
        pytest.param({"x": object()}, id="a mapping with an object"),
        pytest.param(
            {"x": float("nan")}, id="a mapping with a value that is not a number"
        ),
        pytest.param({"x": [float("-inf")]}, id="a mapping with an infinite number"),
        pytest.param({"x": 10**5000}, id="a mapping with a number of too many digits"),
        pytest.param({(1, 2): "x"}, id="a mapping with a key that is not a text"),
        pytest.param(mapping_in_itself(), id="a mapping that contains itself"),
        pytest.param(UnreadableMapping(x=1), id="a mapping that raises"),
        pytest.param({"x": nested_list(100)}, id="a mapping of 101 levels"),
        pytest.param({"x": nested_list(100_000)}, id="a mapping of 100,000 levels"),
    ],
)
def test_a_host_that_returns_something_else_than_plain_data_fails_its_call(
    result: object,
) -> None:

    call_error = error_of_broken_host(lambda: result)

    assert call_error.code == "internal"
    assert call_error.host_broke
    assert call_error.message.startswith("look broke: ")
    assert len(call_error.message) <= 400
