"""Platforms that fail at random: they refuse calls, lose replies, or cannot start some trials.

    with faulty_platform(folder, trials=5, faults=Faults(seed=3, unavailable=0.2)) as platform:
        platform.command(*RUN_EFFECT_COUNTER)

By these faults, a fifth of all calls are refused, and the same ones each time, as the seed is the same.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from controlplane.benchmarks.bitgn.server import ServerOptions
from tests.support.command import CommandResult, run_in_process, start_controlplane
from tests.support.effect_counter import RUN_EFFECT_COUNTER, EffectCounterBenchmark
from tests.support.relay import (
    FaultLayer,
    Faults,
    Relay,
    RelayedCall,
    Rule,
    faulty_server,
    pass_all,
    protocol_refusal,
    relay_to,
)
from tests.support.running_server import running_server

# Commands of a user against a platform, a server of a benchmark that here counts what each trial changes.
#
#     platform.command("resume", "last")                    # controlplane resume last
#     platform.benchmark.check_each_effect_happened_once()
#
# A run calls the platform to start trials, to read and change their files, to answer, and to submit the
# run. The platforms of these tests fail at some calls; still, nothing may be changed twice.

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


# Platforms behind a relay, a server in between that answers some calls in the platform's place.
#
#     a user's command  ->  relay  ->  platform, which serves the trials of a benchmark
#
# The relay asks a *rule* about each call. By the rule below, it answers calls 1 and 2 of `Read`
# itself, with the page of a network that wants a sign-in, and passes all other calls on:
#
#     rule = reply_to("Read", reply=SIGN_IN_PAGE, last_call=2)
#     with relayed_platform(tmp_path, rule) as platform:
#         result = platform.command(*SHORT_PATIENCE_RUN)

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


# Rules by which a relay answers some calls in place of the platform behind it.
#
#     reply_to("Read", reply=PAGE, last_call=2)                # the first two reads of a run
#     reply_to("EndTrial", reply=UNAVAILABLE, first_call=3)    # all ends of trials but the first two
#
# A relay is a server between a user's command and the platform. It asks a rule about each call, and
# passes on a call for which the rule has no reply.

NO_LIMIT = 10**9


def reply_to(
    *methods: str, reply: bytes, first_call: int = 1, last_call: int = NO_LIMIT
) -> Rule:
    """Return the rule to answer calls of these methods with `reply`, and to pass on all others.

    The calls of each method are counted from 1. With `last_call=2`, calls 1 and 2 of each method
    are answered, and with `first_call=3` all further ones.
    """

    def rule(call: RelayedCall) -> bytes | None:
        if call.method in methods and first_call <= call.number <= last_call:
            return reply
        return None

    return rule


UNAVAILABLE = protocol_refusal(503, "unavailable")
"""A reply after which a run makes the same call again, after pauses that grow."""


@dataclass(frozen=True)
class FaultyPlatform(Platform):
    """A platform that fails at some calls, which a random choice selects."""

    faults: FaultLayer
    """What selects the calls, and counts the failures."""


@contextmanager
def faulty_platform(
    folder: Path,
    *,
    trials: int,
    faults: Faults | None = None,
    failing_starts: frozenset[int] = frozenset(),
) -> Iterator[FaultyPlatform]:
    """Serve a benchmark of this many trials. Those with the numbers in `failing_starts` cannot be
    started."""
    benchmark = EffectCounterBenchmark(trials, failing_starts)
    with faulty_server(benchmark, ServerOptions(), faults or Faults()) as server:
        yield FaultyPlatform(benchmark, server.url, folder, server.faults)
