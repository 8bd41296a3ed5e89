"""The user's key for the remote platform (BitGN) is in `BITGN_API_KEY`, and is never shown.

The platform is a server that offers tasks to agents. Our own server takes the platform's place,
and refuses runs without its key as `unauthenticated`.
"""

from contextlib import closing

import pytest

from controlplane import BenchmarkContext, BenchmarkError, RunRequest
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteBenchmark
from tests.support.relay.faulty_server import FaultyServer


def opened_shelf(server: FaultyServer) -> closing[RemoteBenchmark]:
    """Return the client of the benchmark `shelf`, with the key of the environment, if any."""
    remote = RemoteBenchmark("shelf", {"host": server.url}, BenchmarkContext())
    return closing(remote)


def test_run_is_refused_without_a_key(server: FaultyServer) -> None:
    """The error names the environment variable in which the key has to be."""
    with (
        opened_shelf(server) as remote,
        pytest.raises(BenchmarkError, match="BITGN_API_KEY"),
    ):
        remote.start_run(RunRequest("r"))


def test_wrong_key_is_refused_and_not_shown(
    server: FaultyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key must not be in an error, which is written to the journal, nor in the client."""
    monkeypatch.setenv("BITGN_API_KEY", "canary-wrong-key")

    with opened_shelf(server) as remote, pytest.raises(BenchmarkError) as caught:
        remote.start_run(RunRequest("r"))

    assert caught.value.code == "unauthenticated"
    assert "canary-wrong-key" not in repr(caught.value)
    assert "canary-wrong-key" not in str(caught.value)
    assert "canary-wrong-key" not in repr(remote)
    assert "canary-wrong-key" not in str(vars(remote))
