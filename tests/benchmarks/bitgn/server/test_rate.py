"""One core answers at least a thousand runtime calls a second."""

import pytest

from tests.bench.wire_server import measured

pytestmark = pytest.mark.second_tier


def test_a_core_answers_a_thousand_calls_a_second(heavy):
    figures = measured(connections=16, seconds=3 if heavy else 0.5)
    # The short form shares its cores with whatever else runs; it is there to notice a server that got much slower.
    assert figures["wire_calls_per_s"] >= (1000 if heavy else 100), figures
    assert figures["share"] > 0.05, figures
