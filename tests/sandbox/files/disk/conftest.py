"""A fork server for commands that tests run in their own process."""

from collections.abc import Iterator

import pytest

from controlplane.sandbox import ForkServer


class LastingServer(ForkServer):
    """A fork server that keeps running when a command closes it, as the next one uses it, too."""

    def close(self) -> None:
        """Do nothing."""

    def end(self) -> None:
        """End the server, as `close` of a `ForkServer` does."""
        super().close()


@pytest.fixture(scope="session")
def lasting_server() -> Iterator[LastingServer]:
    """A fork server for all commands, because a start takes long."""
    server = LastingServer()
    yield server
    server.end()


@pytest.fixture
def commands_share_servers(
    lasting_server: LastingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Let commands that a test runs in its own process use the same fork server."""
    monkeypatch.setattr("controlplane.sandbox.ForkServer", lambda: lasting_server)
