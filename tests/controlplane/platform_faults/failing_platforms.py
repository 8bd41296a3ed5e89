"""Benchmark platforms that fail, and commands that use them.

    with relayed_platform(tmp_path, reply_to("Read", reply=SIGN_IN_PAGE, last=2)) as platform:
        result = platform.command(*RUN_EFFECT_COUNTER)
        platform.benchmark.check_each_effect_happened_once()

A platform is a server that a run calls to start trials, to read and change their files, to answer,
and to submit the run. `platform.benchmark` counts each effect of a trial, such as a written file.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.support.command import CommandResult, run_in_process, start_controlplane
from tests.support.effect_counter import RUN_EFFECT_COUNTER, EffectCounterBenchmark
from tests.support.relay.fault_layer import FaultLayer
from tests.support.relay.faults import Faults
from tests.support.relay.faulty_server import faulty_server
from tests.support.relay.relayed_calls import (
    RelayedCall,
    Rule,
    pass_all,
    protocol_refusal,
)
from tests.support.relay.wire_relay import Relay, relay_to
from tests.support.running_server import running_server

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a command if a trial did not start, did not end, or has no answer."""

PLATFORM_KEY = "sk-canary-1029384756abcdef"
"""The user's key for the platform. No output and no journal may contain it."""


@dataclass(frozen=True)
class Platform:
    """A platform at an address, and the folder of the user who runs commands against it."""

    benchmark: EffectCounterBenchmark
    """Its `check_each_effect_happened_once` asserts that each trial has had each effect once, and is scored 1."""
    url: str
    folder: Path

    def command(self, *words: str, **variables: str) -> CommandResult:
        """Run a command to its end: `platform.command("resume", "last")`.

        `variables` are further variables of its environment.
        """
        variables = {**self._address_and_key, **variables}
        return run_in_process(*words, cwd=self.folder, **variables)

    def start_command(self, *words: str, **variables: str) -> subprocess.Popen[str]:
        """Start a command as a process of its own, which a test may stop or kill."""
        variables = {**self._address_and_key, **variables}
        return start_controlplane(*words, cwd=self.folder, **variables)

    @property
    def _address_and_key(self) -> dict[str, str]:
        return {"BITGN_HOST": self.url, "BITGN_API_KEY": PLATFORM_KEY}

    @property
    def journal(self) -> Path:
        """The journal of the only run in the folder."""
        (journal,) = self.folder.glob("runs/*.jsonl")
        return journal


def scores_by_trial(result: CommandResult) -> dict[str, float | None]:
    """Return the scores in the JSON that a command printed about a run: `{"x9f2": 1.0, ...}`."""
    return {trial["trial_id"]: trial["score"] for trial in result.json["trials"]}


# --- A platform that fails at random ---


@dataclass(frozen=True)
class FaultyPlatform(Platform):
    """A platform that fails at some calls, which a random choice selects."""

    faults: FaultLayer


@contextmanager
def faulty_platform(
    folder: Path,
    *,
    trials: int,
    faults: Faults | None = None,
    failing_starts: frozenset[int] = frozenset(),
) -> Iterator[FaultyPlatform]:
    """Serve a benchmark of this many trials. The trials with the numbers in `failing_starts` cannot
    be started; `Faults(seed=3, unavailable=0.2)` refuses a fifth of all calls."""
    benchmark = EffectCounterBenchmark(trials, failing_starts)
    with faulty_server(benchmark, ServerOptions(), faults or Faults()) as server:
        yield FaultyPlatform(benchmark, server.url, folder, server.faults)


# --- A platform behind a relay, which fails as a test says ---

TRIALS_BEHIND_RELAY = 4
"""The number of trials in a run against a platform behind a relay."""

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
"""A run that gives up sooner than by default."""


@dataclass(frozen=True)
class RelayedPlatform(Platform):
    """A platform behind a relay: a server between a run and the platform, which passes a call on,
    or answers it in the platform's place."""

    relay: Relay

    def recover(self) -> None:
        """Let the relay pass on all calls from now on."""
        self.relay.rule = pass_all


@contextmanager
def relayed_platform(
    folder: Path, rule: Rule, options: ServerOptions | None = None
) -> Iterator[RelayedPlatform]:
    """Serve a benchmark of `TRIALS_BEHIND_RELAY` trials behind a relay.

    `rule` is called with each call, and returns the reply that the relay gives, or None to pass the
    call on.
    """
    benchmark = EffectCounterBenchmark(TRIALS_BEHIND_RELAY)
    with (
        running_server(benchmark, options or ServerOptions()) as server,
        relay_to(server.url, rule) as relay,
    ):
        yield RelayedPlatform(benchmark, relay.url, folder, relay)


NO_LIMIT = 10**9


def reply_to(*methods: str, reply: bytes, first: int = 1, last: int = NO_LIMIT) -> Rule:
    """Return the rule to answer calls of these methods with `reply`, and to pass on all others.

    `reply_to("Read", reply=PAGE, last=2)` spoils the first two reads, and `first=3` all but these.
    The calls of each method are counted from 1.
    """

    def rule(call: RelayedCall) -> bytes | None:
        if call.method in methods and first <= call.number <= last:
            return reply
        return None

    return rule


UNAVAILABLE = protocol_refusal(503, "unavailable")
"""A reply after which a run makes the same call again, after pauses that grow."""
