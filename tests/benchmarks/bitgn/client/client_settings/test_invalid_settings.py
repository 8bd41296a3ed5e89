"""Invalid settings of the client of the platform (BitGN): the refusal says what a right one is like.

The platform is a server that offers tasks to agents. The address of the platform is in the setting
`host`. `refusal_of(host="api.bitgn.com")` opens the client with it, and returns the message of the
error.
"""

import pytest

from tests.benchmarks.bitgn.client.client_settings.refused_settings import refusal_of


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
