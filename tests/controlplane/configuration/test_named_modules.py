"""Benchmarks, found by name and opened."""

from __future__ import annotations

from controlplane import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark


def test_a_benchmark_that_is_returned_as_such_has_no_hooks() -> None:
    opened = open_benchmark("tests.support.phonebook", {}, BenchmarkContext())
    assert opened.benchmark.describe().name == "phonebook"
    assert (opened.resume_identity, opened.throttle_status, opened.world_version) == (None, None, "")


def test_the_embedded_benchmark_tells_the_version_of_its_worlds() -> None:
    assert open_benchmark("ecom", {}, BenchmarkContext()).world_version


def test_the_platform_tells_what_opens_it_again_and_how_it_is_throttled() -> None:
    opened = open_benchmark("bitgn:shelf", {"host": "http://127.0.0.1:9"}, BenchmarkContext())
    try:
        assert opened.resume_identity is not None
        assert opened.resume_identity.spec == "bitgn:shelf"
        assert opened.resume_identity.settings == {"host": "http://127.0.0.1:9"}
        assert opened.throttle_status is not None
        assert opened.throttle_status(8) == ""
    finally:
        opened.benchmark.close()
