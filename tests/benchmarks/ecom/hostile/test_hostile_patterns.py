"""Searches of the shop's files by hostile patterns, such as `(a+)+$` in a file of many letters.

An engine for patterns that backtracks would search nearly without end. A search works, or fails with the
code of its fault, and has no effect on later calls. Most may be stopped at a limit.
"""

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.sandbox.interface import Plain
from tests.benchmarks.ecom.hostile.call_errors import error_of
from tests.benchmarks.ecom.hostile.harmless_calls import harmless_results

pytestmark = pytest.mark.second_tier

MANY_LETTERS = "a" * 5_000 + "!"


@pytest.mark.parametrize(
    ("operation", "arguments", "codes"),
    [
        pytest.param(
            "search",
            {"pattern": "(a+)+$", "root": "/tmp"},
            ["invalid_argument", "resource_exhausted"],
            id="slow pattern",
        ),
        pytest.param(
            "search",
            {"pattern": "(" * 5_000 + ")" * 5_000},
            ["invalid_argument"],
            id="pattern of many groups",
        ),
        pytest.param(
            "search",
            {"pattern": "(?:a{1000}){1000}b"},
            ["invalid_argument", "resource_exhausted"],
            id="pattern of a huge repeat",
        ),
        pytest.param(
            "find",
            {"name": "*a" * 120 + "b"},
            ["invalid_argument", "resource_exhausted"],
            id="glob of stars",
        ),
    ],
)
def test_a_hostile_pattern_works_or_fails_by_itself(
    shop: EcomEnvironment,
    operation: str,
    arguments: dict[str, Plain],
    codes: list[str],
) -> None:
    shop.call("write", {"path": "/tmp/a", "content": MANY_LETTERS})
    results_before = harmless_results(shop)

    error = error_of(shop, operation, arguments)

    if error is not None:
        assert error.code in codes
        assert len(error.message) <= 1_000
    assert harmless_results(shop) == results_before
    assert shop.call("read", {"path": "/tmp/a"})["content"] == MANY_LETTERS
