"""Settings are checked before anything is called, and the key is none of them."""

from __future__ import annotations

import pytest

from benchmarks.bitgn import open_benchmark
from controlplane import BenchmarkContext, BenchmarkError, BenchmarkIdentity


def opened(argument, settings) -> BenchmarkIdentity:
    identity = open_benchmark(argument, settings, BenchmarkContext()).resume_identity
    assert identity is not None
    return identity


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in ("BENCH_ID", "BITGN_HOST", "BITGN_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("argument", "settings", "said"),
    [
        ("", {}, "BENCH_ID"),
        ("x", {"call_timeout_s": "soon"}, "call_timeout_s='soon'"),
        ("x", {"call_timeout_s": "0"}, "call_timeout_s='0'"),
        ("x", {"connections": "0"}, "connections='0'"),
        ("x", {"runtime": "pcm"}, "ecom"),
        ("x", {"host": "api.bitgn.com"}, "https://"),
        ("x", {"host": "https://"}, "https://"),
        ("x", {"host": "http://[::1"}, "https://"),
        ("x", {"host": "http://h:99999"}, "https://"),
        ("x", {"host": "http://exa mple"}, "https://"),
        ("x", {"host": "https://user:canary@h"}, "BITGN_API_KEY"),
        ("x", {"host": "https://canary@h"}, "BITGN_API_KEY"),
        ("x", {"host": "https://h/?key=canary"}, "BITGN_API_KEY"),
        ("x", {"host": "https://h/#canary"}, "BITGN_API_KEY"),
        ("x", {"host": "h:1@canary"}, "https://"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(argument, settings, said):
    with pytest.raises(BenchmarkError) as raised:
        opened(argument, settings)
    assert raised.value.code == "invalid_argument"
    assert said in raised.value.message
    assert "canary" not in raised.value.message


@pytest.mark.parametrize("host", ["canary-key-5f1d", "http://127.0.0.1:9/canary-key-5f1d/"])
def test_a_host_that_holds_the_key_is_refused_and_not_shown(host, monkeypatch):
    monkeypatch.setenv("BITGN_API_KEY", "canary-key-5f1d")
    monkeypatch.setenv("BITGN_HOST", host)
    with pytest.raises(BenchmarkError, match="the host holds the key") as raised:
        opened("x", {})
    assert "canary" not in raised.value.message


def test_the_benchmark_comes_from_the_argument_else_from_the_environment(monkeypatch):
    monkeypatch.setenv("BENCH_ID", "bitgn/from-environment")
    assert opened("", {}).spec == "bitgn:bitgn/from-environment"
    assert opened("bitgn/named", {}).spec == "bitgn:bitgn/named"


def test_the_host_is_a_setting_else_the_environments_else_the_public_one(monkeypatch):
    def host(settings):
        return opened("x", settings).settings["host"]

    assert host({}) == "https://api.bitgn.com"
    monkeypatch.setenv("BITGN_HOST", "http://127.0.0.1:9")
    assert host({}) == "http://127.0.0.1:9"
    assert host({"host": "http://127.0.0.1:10"}) == "http://127.0.0.1:10"
