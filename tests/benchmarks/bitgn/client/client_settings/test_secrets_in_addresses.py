"""Secrets in the address of the platform (BitGN), here "canary", which no error may quote.

The platform is a server that offers tasks to agents. Errors are written to the journal, which may
be shared. A key belongs into the variable `BITGN_API_KEY`, and not into the setting or variable
for the address.
"""

import pytest

from controlplane import BenchmarkContext, BenchmarkError
from controlplane.benchmarks.bitgn.client.remote_benchmark import open_benchmark
from tests.benchmarks.bitgn.client.client_settings.refused_settings import refusal_of


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
