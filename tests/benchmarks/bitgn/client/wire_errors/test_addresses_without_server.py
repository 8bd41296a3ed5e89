"""Calls to an address that no server has: no connection was made, so they did not happen.

The error of a call to `http://no-such-host.invalid` is not `in_doubt`, which means that the call
had no effect. It is `transient`: the host may be known later, so that another attempt may succeed.
"""

from contextlib import closing

import pytest

from controlplane.benchmarks.bitgn.client.connection import PlatformClient, WireError
from tests.benchmarks.bitgn.client.platform_calls import new_call


@pytest.mark.parametrize(
    ("url", "code", "transient"),
    [
        pytest.param("http://127.0.0.1:1", "unavailable", True, id="closed port"),
        pytest.param(
            "http://no-such-host.invalid", "unavailable", True, id="unknown host"
        ),
        pytest.param("ftp://127.0.0.1", "invalid_argument", False, id="protocol"),
        pytest.param("http://127.0.0.1:port", "invalid_argument", False, id="port"),
    ],
)
def test_call_to_an_address_without_a_server_did_not_happen(
    url: str, code: str, transient: bool
) -> None:
    """The error names the address, which may be misspelt."""
    with closing(PlatformClient(connections=2)) as client:
        call = new_call(url, client)
        with pytest.raises(WireError) as caught:
            call.finish()

    error = caught.value
    assert error.code == code
    assert error.transient == transient
    assert not error.in_doubt
    assert url in error.message
