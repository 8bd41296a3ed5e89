"""Served benchmarks for the tests of this folder."""

import pytest

from tests.benchmarks.bitgn.recording_world import ShelfBenchmark
from tests.benchmarks.bitgn.served_benchmark import platform


@pytest.fixture(scope="module")
def benchmark():
    return ShelfBenchmark()


@pytest.fixture(scope="module")
def served(benchmark):
    with platform(benchmark) as calls:
        yield calls
