"""Benchmarks, found by name and opened."""

from __future__ import annotations

import pytest

from controlplane import BenchmarkContext
from controlplane.configuration.named_modules import open_benchmark, options_of
from controlplane.errors import UsageError


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


@pytest.mark.parametrize(
    ("spec", "settings", "said"),
    [
        ("ecom", {"polcy": "open"}, "the benchmark 'ecom' has no option 'polcy'; did you mean 'policy'?"),
        ("ecom", {"policy": "blnd"}, "--set policy: there is no 'blnd'; did you mean 'blind'?"),
        ("ecom", {"policy": ""}, "--set policy: there is no ''; known: open, blind"),
        ("bitgn:x", {"hots": "http://x"}, "did you mean 'host'?"),
        ("bitgn:x", {"call_timeout": "3"}, "did you mean 'call_timeout_s'?"),
        ("bitgn:x", {"api_key": "canary"}, "set BITGN_API_KEY there"),
        ("bitgn:x", {"BITGN_API_KEY": "canary"}, "set BITGN_API_KEY there"),
        ("docs.examples.wordbook", {"size": "3"}, "has no option 'size'; it takes none"),
    ],
)
def test_an_option_that_a_benchmark_does_not_declare_is_refused(spec: str, settings: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_benchmark(spec, settings, BenchmarkContext())
    assert said in str(refused.value)
    assert "canary" not in str(refused.value)


def test_the_options_of_a_benchmark_are_listed_without_its_secrets() -> None:
    choices = {each.name: each.choices for each in options_of("ecom")}
    assert choices["policy"] == ("open", "blind")
    assert choices.keys() == {"policy", "profile", "names", "wordings"}
    names = [each.name for each in options_of("bitgn:x")]
    assert "host" in names
    assert "api_key" not in names
    assert all(each.description for each in options_of("bitgn"))
    assert options_of("docs.examples.wordbook") == ()
