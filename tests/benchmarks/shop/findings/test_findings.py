"""Every function finds what is true, in worlds of every family that it serves and in every vocabulary."""

import pytest

from tests.support.shop_findings import CALLS, judged, opened

LIGHT = range(1, 7, 2)
"""Seeds of the worlds of each vocabulary. Those that 3 divides are kept for measuring."""


@pytest.mark.parametrize("names", ["own", "public", "random"])
@pytest.mark.parametrize("family", CALLS)
def test_a_function_finds_what_is_true(family, names):
    for seed in LIGHT:
        task, environment = opened(family, seed, names=names)
        for call in CALLS[family](task):
            result = judged(environment, call)
            assert result.verdict == "right", (task.instruction, call.function, call.arguments, result)
