"""Trials on a stub, which takes the place of the platform (BitGN), and replies as a test says.

    with trial_on_stub(http_reply(b'{"path": 7}')) as trial:
        trial.environment.call("stat", {"path": "/a.txt"})  # raises: the path is not a text
    trial.request_count     # 3, as the client has repeated the call

The platform is a server that offers tasks to agents. A call of a script, such as
`harness.stat("/a.txt")`, is a request to the platform.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from controlplane.benchmarks.bitgn.client.calls import CallPolicy
from controlplane.benchmarks.bitgn.client.connection import PlatformClient
from controlplane.benchmarks.bitgn.client.remote_benchmark import RemoteEnvironment
from tests.support.byte_server import Behaviour, ByteServer


@dataclass(frozen=True)
class StubTrial:
    """A trial on a stand-in for the platform."""

    environment: RemoteEnvironment
    platform: ByteServer

    @property
    def request_count(self) -> int:
        return len(self.platform.requests)


@contextmanager
def trial_on_stub(behaviour: Behaviour, retry_s: float = 5.0) -> Iterator[StubTrial]:
    """Open a trial on a server that replies to each request in this way."""
    policy = CallPolicy(deadline_s=5.0, retry_s=retry_s)
    with ByteServer(behaviour) as platform, closing(PlatformClient(2)) as client:
        environment = RemoteEnvironment(client, platform.url, policy=policy)
        yield StubTrial(environment, platform)
