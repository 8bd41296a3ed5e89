"""Calls to a server whose certificate is signed by an authority that the user does not trust.

The call is refused before anything is sent. The error names the remedy: the variable SSL_CERT_FILE
names a file of authorities that the user trusts.
"""

from contextlib import closing
from pathlib import Path

import pytest

from controlplane.benchmarks.bitgn.client.connection import PlatformClient, WireError
from tests.benchmarks.bitgn.client.platform_calls import new_call
from tests.benchmarks.bitgn.client.wire_errors.https_servers import (
    https_server,
    new_certificate,
)


def test_untrusted_certificate_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """The call had no effect (`in_doubt`), and would fail again (`transient`)."""
    with (
        https_server(new_certificate(tmp_path)) as url,
        closing(PlatformClient(connections=2)) as client,
        pytest.raises(WireError) as caught,
    ):
        new_call(url, client).finish()

    error = caught.value
    assert error.code == "unavailable"
    assert not error.in_doubt
    assert not error.transient
    assert "SSL_CERT_FILE" in error.message
