"""Platforms behind a relay, a server in between that answers some calls in the platform's place.

    a user's command  ->  relay  ->  platform, which serves the trials of a benchmark

The relay asks a *rule* about each call. By the rule below, it answers calls 1 and 2 of `Read`
itself, with the page of a network that wants a sign-in, and passes all other calls on:

    rule = reply_to("Read", reply=SIGN_IN_PAGE, last_call=2)
    with relayed_platform(tmp_path, rule) as platform:
        result = platform.command(*SHORT_PATIENCE_RUN)
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.controlplane.platform_faults.platform_commands import Platform
from tests.support.effect_counter import RUN_EFFECT_COUNTER, EffectCounterBenchmark
from tests.support.relay.relayed_calls import Rule, pass_all
from tests.support.relay.wire_relay import Relay, relay_to
from tests.support.running_server import running_server

SHORT_PATIENCE_RUN = (
    *RUN_EFFECT_COUNTER,
    # How long the first call is tried, if the platform does not answer.
    "--set",
    "contact_patience_s=1",
    # How long a start or end of a trial or run is tried again.
    "--set",
    "lifecycle_patience_s=0.5",
    # How long any other call is tried again, and how long one try may take.
    "--set",
    "call_patience_s=4",
    "--set",
    "call_timeout_s=2",
)
"""A run of the served benchmark, which counts what its trials change, with less patience."""


@dataclass(frozen=True)
class RelayedPlatform(Platform):
    """A platform behind a relay, whose address the commands get in place of the platform's."""

    relay: Relay

    def recover(self) -> None:
        """Let the relay pass on all calls from now on."""
        self.relay.rule = pass_all


@contextmanager
def relayed_platform(
    folder: Path,
    rule: Rule,
    options: ServerOptions | None = None,
    *,
    trials: int = 2,
) -> Iterator[RelayedPlatform]:
    """Serve a benchmark of this many trials behind a relay.

    `rule` is called with each call, and returns the reply that the relay gives, or None to pass the
    call on.
    """
    benchmark = EffectCounterBenchmark(trials)
    with (
        running_server(benchmark, options or ServerOptions()) as server,
        relay_to(server.url, rule) as relay,
    ):
        yield RelayedPlatform(
            benchmark=benchmark, url=relay.url, folder=folder, relay=relay
        )
