"""Calls to the shop with hostile arguments, such as a very long name.

`shop.call("read", {"path": [[["x"]]]})` fails with the code of its fault, `invalid_argument`, and has no
effect on later calls.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.hostile.call_errors import error_of
from tests.benchmarks.ecom.hostile.harmless_calls import harmless_results

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("operation", "arguments", "codes"),
    [
        pytest.param(
            "read",
            {"path": "/tmp/" + "ab" * 2_000},
            ["invalid_argument"],
            id="long missing name",
        ),
        pytest.param(
            "write",
            {"path": "/x" * 101, "content": ""},
            ["invalid_argument"],
            id="deep path",
        ),
        pytest.param(
            "read",
            {"path": [[["x"]]]},
            ["invalid_argument"],
            id="argument of another type",
        ),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "z" * 500_000: 1},
            ["invalid_argument", "resource_exhausted"],  # if it takes too long
            id="argument with a long name",
        ),
        pytest.param("s" * 100_000, {}, ["unimplemented"], id="no operation"),
    ],
)
def test_a_hostile_call_fails_by_itself(
    shop: EcomEnvironment,
    operation: str,
    arguments: dict[str, Plain],
    codes: list[str],
) -> None:
    shop.call("write", {"path": "/tmp/a", "content": "text"})
    results_before = harmless_results(shop)

    error = error_of(shop, operation, arguments)

    assert error is not None
    assert error.code in codes
    assert len(error.message) <= 1_000
    assert harmless_results(shop) == results_before
    assert shop.call("read", {"path": "/tmp/a"})["content"] == "text"
