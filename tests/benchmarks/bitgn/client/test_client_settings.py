"""The client of the platform refuses unusable addresses and options, and never shows a key."""

import pytest

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.bitgn.client.remote_benchmark import open_benchmark


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset all variables that the client reads."""
    for name in ("BENCH_ID", "BITGN_HOST", "BITGN_API_KEY"):
        monkeypatch.delenv(name, raising=False)


# Settings with which the client of the platform (BitGN) refuses to be opened.
#
# The platform is a server that offers tasks to agents. `refusal_of(host="api.bitgn.com")` is the
# message for an address without `https://`.


def refusal_of(benchmark_id: str = "x", **settings: str) -> str:
    """Return the message with which the client refuses to be opened."""
    with pytest.raises(BenchmarkError) as caught:
        open_benchmark(benchmark_id, settings, BenchmarkContext())

    assert caught.value.code == "invalid_argument"
    return caught.value.message


# Invalid settings of the client of the platform (BitGN): the refusal says what a right one is like.
#
# The platform is a server that offers tasks to agents. The address of the platform is in the setting
# `host`. `refusal_of(host="api.bitgn.com")` opens the client with it, and returns the message of the
# error.


def test_missing_benchmark_is_refused_with_the_variable_that_can_name_it() -> None:
    assert "BENCH_ID" in refusal_of(benchmark_id="")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        pytest.param("call_timeout_s", "soon", id="word"),
        pytest.param("call_timeout_s", "0", id="no time"),
        pytest.param("connections", "0", id="no connection"),
    ],
)
def test_invalid_number_is_refused_with_its_setting(setting: str, value: str) -> None:
    assert f"{setting}='{value}'" in refusal_of(**{setting: value})


@pytest.mark.parametrize(
    "host",
    [
        pytest.param("api.bitgn.com", id="no protocol"),
        pytest.param("https://", id="no host"),
        pytest.param("http://[::1", id="open bracket"),
        pytest.param("http://h:99999", id="port"),
        pytest.param("http://exa mple", id="space"),
    ],
)
def test_invalid_address_is_refused_with_the_form_of_a_right_one(host: str) -> None:
    assert "https://" in refusal_of(host=host)


# Secrets in the address of the platform (BitGN), here "canary", which no error may quote.
#
# The platform is a server that offers tasks to agents. Errors are written to the journal, which may
# be shared. A key belongs into the variable `BITGN_API_KEY`, and not into the setting or variable
# for the address.


@pytest.mark.parametrize(
    ("host", "expected_text"),
    [
        pytest.param("https://user:canary@h", "BITGN_API_KEY", id="password"),
        pytest.param("https://canary@h", "BITGN_API_KEY", id="user"),
        pytest.param("https://h/?key=canary", "BITGN_API_KEY", id="query"),
        pytest.param("https://h/#canary", "BITGN_API_KEY", id="fragment"),
        pytest.param("h:1@canary", "https://", id="no protocol"),
    ],
)
def test_address_with_a_secret_is_refused_and_not_shown(
    host: str, expected_text: str
) -> None:
    """The error says where a key has to be, or how an address begins."""
    message = refusal_of(host=host)

    assert expected_text in message
    assert "canary" not in message


@pytest.mark.parametrize(
    "host", ["canary-key-5f1d", "http://127.0.0.1:9/canary-key-5f1d/"]
)
def test_address_that_contains_the_key_is_refused_and_not_shown(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user has put the key into the wrong variable, or into the address."""
    monkeypatch.setenv("BITGN_API_KEY", "canary-key-5f1d")
    monkeypatch.setenv("BITGN_HOST", host)

    with pytest.raises(BenchmarkError, match="the host holds the key") as caught:
        open_benchmark("x", {}, BenchmarkContext())

    assert "canary" not in caught.value.message
