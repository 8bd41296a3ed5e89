"""Runs against a benchmark platform, a server over HTTP, that fails, refuses, or loses trials.

A run calls the platform to start trials, to read and change their files, to answer, and to submit
the run. The benchmark here counts each effect, such as a written file. Whatever fails, and whenever
the run is stopped or killed, every effect must happen exactly once, after `controlplane resume` at
the latest.
"""

import random
import re
import shlex
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import SimpleNamespace

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.benchmarks.bitgn.server.runs import served_runs
from controlplane.errors import Interrupted, Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.replay.verification import verify
from controlplane.sandbox.interface import bounds
from tests.support.command import (
    CommandResult,
    CommandRunner,
    run_in_process,
    start_controlplane,
    wait_for_exit,
    wait_until,
)
from tests.support.effect_counter import RUN_EFFECT_COUNTER, EffectCounterBenchmark
from tests.support.running_server import running_server
from tests.support.server_faults import FaultLayer, Faults, Outage, faulty_server
from tests.support.wire_relay import (
    HTML_PAGE_RESPONSE,
    Relay,
    RelayedCall,
    Rule,
    injected_response,
    pass_all,
    protocol_refusal,
    relay_to,
)

pytestmark = pytest.mark.usefixtures("short_backoff")

KEY = "sk-canary-1029384756abcdef"
"""The key of the platform. No output and no journal may contain it."""

OK = 0
A_TRIAL_FAILED = 1
"""The exit code of a command if a trial did not start, did not end, or has no answer."""

# --- Faults that a random choice distributes over all calls ---


@dataclass(frozen=True)
class FaultyPlatform:
    """A platform that serves the benchmark which counts effects, and fails at some calls.

    In each trial of `RUN_EFFECT_COUNTER`, a `run` command, the model writes a file, deletes another,
    runs a program that changes something, and answers. These are the effects.
    """

    benchmark: EffectCounterBenchmark
    """Its `check_delivered` asserts that each trial has had each effect once, and is scored 1."""
    faults: FaultLayer
    variables: dict[str, str]
    """The environment variables of a command that is to call this platform."""


@contextmanager
def faulty_platform(
    trials: int,
    faults: Faults | None = None,
    failing_starts: frozenset[int] = frozenset(),
) -> Iterator[FaultyPlatform]:
    """Serve a benchmark of this many trials. Those in `failing_starts` cannot be started."""
    benchmark = EffectCounterBenchmark(trials, failing_starts)
    with faulty_server(benchmark, ServerOptions(), faults or Faults()) as server:
        variables = {"BITGN_HOST": server.url, "BITGN_API_KEY": KEY}
        yield FaultyPlatform(benchmark, server.faults, variables)


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(
            Faults(seed=3, unavailable=0.2),
            id="20 % answer 503",
        ),
        pytest.param(
            Faults(seed=4, reset_before=0.02, reset_after=0.02),
            id="4 % reset the connection, before or after the effect",
        ),
        pytest.param(
            Faults(seed=5, stall=0.02, methods=frozenset({"Read", "Write", "Exec"})),
            id="2 % of replies stop in the middle",
        ),
        pytest.param(
            Faults(seed=6, too_many=0.1, retry_after_s=0.1),
            id="10 % answer 429 with a time to wait",
        ),
        # Rarer faults do not happen in the five trials of the light form.
        pytest.param(
            Faults(),
            id="no faults",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            Faults(seed=1, unavailable=0.01),
            id="1 % answer 503",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            Faults(seed=2, unavailable=0.05),
            id="5 % answer 503",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_every_effect_happens_once_under_faults(
    faults: Faults, tmp_path: Path, heavy: bool
) -> None:
    """A share of all calls fails; the seed decides which. The run makes them again, but not those
    whose effect has happened. After a 429, it waits for the time that the reply names."""
    with faulty_platform(trials=100 if heavy else 5, faults=faults) as platform:
        result = run_in_process(
            *RUN_EFFECT_COUNTER,
            "--set",
            "call_timeout_s=1",
            "--set",
            "lifecycle_timeout_s=1",
            "--concurrency",
            "10",
            cwd=tmp_path,
            **platform.variables,
        )

        assert result.code == OK, result.err
        platform.benchmark.check_delivered()
        calls_before_retry_after = platform.faults.too_early
        assert calls_before_retry_after == 0

    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


@pytest.mark.second_tier
def test_trials_that_cannot_start_do_not_harm_others_and_are_named(
    tmp_path: Path, heavy: bool
) -> None:
    """Two of eight trials cannot start, in the heavy form five of 100. All others are played and
    scored."""
    trials = 100 if heavy else 8
    numbers_of_failing = {3, 17, 40, 41, 99} if heavy else {1, 4}
    failing_starts = frozenset(numbers_of_failing)

    with faulty_platform(trials, failing_starts=failing_starts) as platform:
        result = run_in_process(
            *RUN_EFFECT_COUNTER,
            "--json",
            "--set",
            "lifecycle_patience_s=2",
            cwd=tmp_path,
            **platform.variables,
        )

        assert result.code == A_TRIAL_FAILED, result.err
        platform.benchmark.check_delivered(missing=len(failing_starts))
        failed_trials: set[str] = set()
        for trial in result.json["trials"]:
            if trial["state"] == "failed":
                failed_trials.add(trial["trial_id"])
        assert len(failed_trials) == len(failing_starts)


@pytest.mark.second_tier
@pytest.mark.parametrize("method", ["EndTrial", "SubmitRun"])
def test_an_outage_of_the_last_calls_is_waited_out(
    method: str, tmp_path: Path, heavy: bool
) -> None:
    """The platform's methods EndTrial and SubmitRun end a trial, and hand in the run. From its
    first call on, one of them answers 503 for a second; in the heavy form for a minute."""
    outage = Outage(method, duration_s=60.0 if heavy else 1.0)
    faults = Faults(outages=(outage,))

    with faulty_platform(trials=20 if heavy else 4, faults=faults) as platform:
        result = run_in_process(*RUN_EFFECT_COUNTER, cwd=tmp_path, **platform.variables)

        assert result.code == OK, result.err
        platform.benchmark.check_delivered()


# --- Kills ---


def has_recorded_start(journal: Path) -> bool:
    """Return whether a killed run had the time to record that the platform started it."""
    return journal.stat().st_size > 0 and open_journal(journal).summary.run_id != ""


def check_killed_journal(path: Path) -> None:
    """Assert that at most the end of the last line is missing, and that the scripts in all other
    lines give the recorded outputs again."""
    with open_journal(path) as journal:
        unread_rest = path.read_bytes()[journal.length :]
        assert b"\n" not in unread_rest

        begun_trials: list[str] = []
        for trial in journal.trials.values():
            if trial.has_begun:
                begun_trials.append(trial.trial_id)
        assert verify(journal, begun_trials).differences == ()


def journal_of_killed_run(
    platform: FaultyPlatform, folder: Path, *, kill_after_s: float
) -> Path:
    """Start a run, kill it this long after it has created its journal, and return the journal."""
    process = start_controlplane(
        *RUN_EFFECT_COUNTER, "--concurrency", "4", cwd=folder, **platform.variables
    )
    wait_until(lambda: any(folder.glob("runs/*.jsonl")))
    time.sleep(kill_after_s)
    process.kill()
    process.communicate()
    (journal,) = folder.glob("runs/*.jsonl")
    return journal


def check_kill_and_resume(folder: Path, *, trials: int, kill_after_s: float) -> None:
    """Kill a run, check its journal, resume it, and assert that each effect has happened once.

    A run that is killed before it could record its start cannot be resumed, which is asserted then.
    """
    with faulty_platform(trials) as platform:
        journal = journal_of_killed_run(platform, folder, kill_after_s=kill_after_s)
        if not has_recorded_start(journal):
            refused = run_in_process("resume", "last", cwd=folder, **platform.variables)
            assert refused.code == UsageError.exit_code, refused.err
            return

        check_killed_journal(journal)
        resumed = run_in_process("resume", "last", cwd=folder, **platform.variables)

        assert resumed.code == OK, resumed.err + resumed.out
        platform.benchmark.check_delivered()
        assert run_in_process("replay", "last", "--verify", cwd=folder).code == OK


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "seed",
    [
        pytest.param(11),
        pytest.param(12, marks=pytest.mark.heavy),
        pytest.param(13, marks=pytest.mark.heavy),
        pytest.param(14, marks=pytest.mark.heavy),
    ],
)
def test_every_effect_of_a_killed_and_resumed_run_happens_once(
    seed: int, tmp_path: Path, heavy: bool
) -> None:
    """The seed chooses the moments of the kills: one, or 25 in the heavy form."""
    random_numbers = random.Random(seed)

    for round_number in range(25 if heavy else 1):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        check_kill_and_resume(
            folder,
            trials=30 if heavy else 5,
            kill_after_s=random_numbers.uniform(0.1, 1.2),
        )


# --- Scripts that misbehave ---


@pytest.mark.second_tier
@pytest.mark.parametrize(
    "script",
    [
        pytest.param("while True:\n    pass", id="hangs"),
        pytest.param("raise SystemExit(1)", id="exits"),
        pytest.param(
            "for number in range(10**6):\n    print('x' * 1000)", id="floods its output"
        ),
        pytest.param(
            "parts = []\nwhile True:\n    parts.append('x' * 10**6 + str(len(parts)))",
            id="takes all memory",
        ),
        pytest.param("print(1)", id="never answers"),
    ],
)
def test_every_trial_is_answered_whatever_its_scripts_do(
    script: str, tmp_path: Path, heavy: bool
) -> None:
    """If the model's scripts give no answer, the harness submits a fallback for the trial. The model
    is a file of replies, each of them with the script."""
    model = tmp_path / "misbehaving.toml"
    model.write_text(f"[[reply]]\ncode = '''\n{script}\n'''\n" * 3)

    with faulty_platform(trials=100 if heavy else 4) as platform:
        result = run_in_process(
            "run",
            "--benchmark",
            "bitgn:tally",
            "--model",
            f"scripted:{model}",
            "--rule-sets",
            "none",
            "--json",
            "--concurrency",
            "10",
            "--max-steps",
            "1",
            "--trial-time",
            "1",
            cwd=tmp_path,
            **platform.variables,
        )

        benchmark = platform.benchmark
        assert result.code == OK, result.err
        assert {trial["state"] for trial in result.json["trials"]} == {"fallback"}
        # Each trial was answered once and ended, and the run was submitted once.
        for effects_of_trial in benchmark.effects.values():
            assert effects_of_trial["answer"] == 1
        assert len(benchmark.scores) == len(benchmark.tasks)
        assert benchmark.submits == 1


# --- Replies that a relay gives in place of the platform ---

TRIALS = 4
"""The number of trials of the runs below."""

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
class RelayedPlatform:
    """A platform of `TRIALS` trials behind a relay, a server that passes calls on to the platform,
    or answers them in its place."""

    benchmark: EffectCounterBenchmark
    relay: Relay
    variables: dict[str, str]
    """The environment variables of a command that is to call the relay."""

    def recover(self) -> None:
        """Let the relay pass on all calls from now on."""
        self.relay.rule = pass_all


@contextmanager
def relayed_platform(
    rule: Rule, options: ServerOptions | None = None
) -> Iterator[RelayedPlatform]:
    """Serve the benchmark that counts effects behind a relay.

    `rule` is called with each call, and returns the reply that the relay gives, or None to pass the
    call on.
    """
    benchmark = EffectCounterBenchmark(TRIALS)
    with (
        running_server(benchmark, options or ServerOptions()) as server,
        relay_to(server.url, rule) as relay,
    ):
        variables = {"BITGN_HOST": relay.url, "BITGN_API_KEY": KEY}
        yield RelayedPlatform(benchmark, relay, variables)


NO_LIMIT = 10**9


def reply_to(*methods: str, reply: bytes, first: int = 1, last: int = NO_LIMIT) -> Rule:
    """Return the rule to answer calls of these methods with `reply`, and to pass on all others.

    `first` and `last` limit it to some of the calls of each method, counted from 1:
    `reply_to("Read", reply=PAGE, last=2)` spoils the first two reads.
    """

    def rule(call: RelayedCall) -> bytes | None:
        if call.method in methods and first <= call.number <= last:
            return reply
        return None

    return rule


UNEXPECTED_SHAPE = injected_response(200, '{"trialId": [], "runId": [], "state": {}}')
"""A reply whose fields have other types than the protocol says."""
NO_BACKEND = injected_response(404, "no backend")
"""The reply of a load balancer whose servers are all down."""


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(
            reply_to("EndTrial", "SubmitRun", reply=HTML_PAGE_RESPONSE, last=2),
            id="an HTML page for the ends of trials and the submission",
        ),
        pytest.param(
            reply_to(
                "Read",
                "Stat",
                "Exec",
                "Write",
                "Answer",
                reply=HTML_PAGE_RESPONSE,
                last=2,
            ),
            id="an HTML page for everything that trials do",
        ),
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(404, "not_found"), last=2),
            id="two starts refused",
        ),
        pytest.param(
            reply_to("StartRun", reply=HTML_PAGE_RESPONSE, last=1),
            id="an HTML page for the start of the run",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE_RESPONSE, last=2),
            id="an HTML page for the starts of trials",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to(
                "StartTrial", "EndTrial", "SubmitRun", reply=UNEXPECTED_SHAPE, last=2
            ),
            id="replies of another shape for starts and ends",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", "Read", "EndTrial", reply=NO_BACKEND, last=2),
            id="not found, by a load balancer",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_fault_that_passes_costs_nothing(
    rule: Rule, run_command_here: CommandRunner
) -> None:
    """The relay answers the first calls of some methods, as a proxy that wants somebody to sign in
    or a load balancer would. The run makes these calls again."""
    with relayed_platform(rule) as platform:
        result = run_command_here(*SHORT_PATIENCE_RUN, **platform.variables)

        assert result.code == OK, result.err
        platform.benchmark.check_delivered()


NO_SUCH_KEY = protocol_refusal(401, "unauthenticated", f"no such key: {KEY}")
"""The platform refuses the key, and repeats it in its message."""


@pytest.mark.parametrize(
    ("rule", "message_part"),
    [
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE_RESPONSE),
            "is text/html, not JSON; is the host right?",
            id="an HTML page for every start",
        ),
        pytest.param(
            reply_to("StartTrial", reply=HTML_PAGE_RESPONSE, first=3),
            "is the host right?",
            id="an HTML page for all starts but the first two",
        ),
        pytest.param(
            reply_to("StartTrial", reply=NO_SUCH_KEY),
            "no such key: [secret]",
            id="starts refused for the key",
        ),
        pytest.param(
            reply_to("Answer", reply=NO_SUCH_KEY),
            "refuses the calls of trials",
            id="answers refused for the key",
        ),
        pytest.param(
            reply_to("EndTrial", reply=NO_SUCH_KEY),
            "could not be ended",
            id="ends refused for the key",
        ),
        pytest.param(
            reply_to("SubmitRun", reply=NO_SUCH_KEY),
            "could not be submitted",
            id="the submission refused for the key",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=injected_response(403, "forbidden")),
            "status 403: forbidden",
            id="starts refused by a gateway",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(501, "unimplemented")),
            "unimplemented",
            id="starts that the platform cannot do",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(500, "internal", "a fault")),
            "no trial could be started",
            id="starts that all break",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=protocol_refusal(404, "not_found")),
            "no trial could be",
            id="starts of trials that the platform has forgotten",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            reply_to("StartTrial", reply=injected_response(200, "{}")),
            "is not as described: harnessUrl",
            id="starts whose reply has another shape",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_lasting_fault_stops_the_run_and_resume_completes_it(
    rule: Rule, message_part: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """The stopped run is not submitted, so that no trial counts as failed. The platform repeats
    the key in some refusals, and the run must not print or record it."""
    with relayed_platform(rule) as platform:
        stopped = run_command_here(*SHORT_PATIENCE_RUN, **platform.variables)
        assert stopped.code == Unreachable.exit_code, stopped.err
        (error_line,) = stopped.err.strip().splitlines()
        assert message_part in error_line
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = run_command_here("resume", "last", "--quiet", **platform.variables)
        assert resumed.code == OK, resumed.err
        platform.benchmark.check_delivered()

    for result in (stopped, resumed):
        assert KEY not in result.out
        assert KEY not in result.err
    for journal in tmp_path.rglob("*.jsonl"):
        assert KEY not in journal.read_text()


def test_resuming_a_copy_of_an_older_journal_repeats_no_effect(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A run stops at its third trial, and its journal is copied. The run is resumed to its end. Then
    the copy is resumed, which does not know that all trials have ended."""
    third_start_refused = reply_to(
        "StartTrial", reply=protocol_refusal(401, "unauthenticated"), first=3
    )
    with relayed_platform(third_start_refused) as platform:
        stopped = run_command_here(
            *SHORT_PATIENCE_RUN, "--concurrency", "1", **platform.variables
        )
        assert stopped.code == Unreachable.exit_code
        (journal,) = tmp_path.glob("runs/*.jsonl")
        shutil.copy(journal, tmp_path / "copy.jsonl")

        platform.recover()
        resumed = run_command_here("resume", "last", "--quiet", **platform.variables)
        assert resumed.code == OK

        resumed_copy = run_command_here(
            "resume", "copy.jsonl", "--json", **platform.variables
        )
        platform.benchmark.check_delivered()

    # The platform tells the copy the scores of all trials, but does not start a trial again that has
    # ended. So the last trial counts as failed in the copy: it has a score and no answer.
    assert resumed_copy.code == A_TRIAL_FAILED
    assert list(scores_by_trial(resumed_copy).values()) == [1.0] * TRIALS
    last_trial = resumed_copy.json["trials"][-1]
    assert "has already ended" in last_trial["reason"]


# --- Runs that are stopped while they wait for the platform ---

UNAVAILABLE = protocol_refusal(503, "unavailable")
"""Makes a run call again, after pauses that grow."""
TOO_MANY_CALLS = protocol_refusal(429, "resource_exhausted", retry_after="3600")
"""Makes a run call again after an hour."""


@dataclass(frozen=True)
class StopCase:
    """A run that waits for a method of the platform, and the signal that stops it there.

    `StopCase("Read", TOO_MANY_CALLS, signal.SIGINT)`: the platform refuses to read a file, and the
    user presses Ctrl-C.
    """

    method: str
    reply: bytes
    """The reply to each call of the method."""
    stop_signal: signal.Signals

    @property
    def rule(self) -> Rule:
        """The rule of a relay that gives this reply."""
        return reply_to(self.method, reply=self.reply)

    @property
    def calls_before_stop(self) -> int:
        """How often the run calls the method before it certainly waits."""
        if self.reply == TOO_MANY_CALLS:
            return 1  # The second would come after an hour.
        return 2


def stop_while_waiting(
    case: StopCase, platform: RelayedPlatform, folder: Path
) -> CommandResult:
    """Start a run, send it the signal while it waits, and return its result.

    Asserts that it ends without waiting on, as interrupted, and submits nothing.
    """
    process = start_controlplane(
        *SHORT_PATIENCE_RUN,
        "--set",
        "lifecycle_patience_s=7200",
        cwd=folder,
        **platform.variables,
    )
    wait_until(lambda: platform.relay.calls[case.method] >= case.calls_before_stop)
    process.send_signal(case.stop_signal)
    result = wait_for_exit(process)

    assert result.code == Interrupted.exit_code, result.err
    assert platform.benchmark.submits == 0
    return result


@pytest.mark.parametrize(
    "stop_signal",
    [
        pytest.param(signal.SIGINT, id="Ctrl-C"),
        pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.heavy),
    ],
)
def test_a_run_that_waits_for_its_start_is_stopped_without_a_journal(
    stop_signal: signal.Signals, tmp_path: Path
) -> None:
    """The platform is unavailable for the very first call. There is nothing to resume."""
    case = StopCase("StartRun", UNAVAILABLE, stop_signal)

    with relayed_platform(case.rule) as platform:
        result = stop_while_waiting(case, platform, tmp_path)

    assert "interrupted before the run began" in result.err
    assert not list(tmp_path.rglob("*.jsonl"))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            StopCase("Read", TOO_MANY_CALLS, signal.SIGINT),
            id="a call of a trial, Ctrl-C",
        ),
        pytest.param(
            StopCase("SubmitRun", TOO_MANY_CALLS, signal.SIGINT),
            id="the submission, Ctrl-C",
        ),
        pytest.param(
            StopCase("StartTrial", UNAVAILABLE, signal.SIGTERM),
            id="the start of a trial, SIGTERM",
        ),
        pytest.param(
            StopCase("StartTrial", UNAVAILABLE, signal.SIGINT),
            id="the start of a trial, Ctrl-C",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            StopCase("Read", TOO_MANY_CALLS, signal.SIGTERM),
            id="a call of a trial, SIGTERM",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            StopCase("EndTrial", UNAVAILABLE, signal.SIGINT),
            id="the end of a trial, Ctrl-C",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            StopCase("EndTrial", UNAVAILABLE, signal.SIGTERM),
            id="the end of a trial, SIGTERM",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            StopCase("SubmitRun", TOO_MANY_CALLS, signal.SIGTERM),
            id="the submission, SIGTERM",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_run_that_waits_for_the_platform_is_stopped_by_one_signal_and_resumed(
    case: StopCase, tmp_path: Path
) -> None:
    """The user does not have to wait for the platform. Once it answers again, the run is resumed,
    and every effect has happened once."""
    with relayed_platform(case.rule) as platform:
        stop_while_waiting(case, platform, tmp_path)

        platform.recover()
        resumed = run_in_process(
            "resume", "last", "--quiet", cwd=tmp_path, **platform.variables
        )

        assert resumed.code == OK, resumed.err
        platform.benchmark.check_delivered()


def recorded_error_codes(trial: TrialRecord) -> set[str]:
    """Return the codes of the errors of a trial's calls, such as `{"not_found"}`: of the calls
    that its first message needs, and of those that its scripts make."""
    assert trial.initial_prompt is not None
    calls = list(trial.initial_prompt.calls)
    for step in trial.step_summaries:
        calls += step.calls
    return {call.error.code for call in calls if call.error is not None}


@pytest.mark.parametrize(
    "path",
    [
        pytest.param("/note.txt", id="a file that a script reads"),
        pytest.param("/bin/refund", id="a program whose help the first message shows"),
        pytest.param(
            "/AGENTS.MD",
            id="a document that the first message shows",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_call_that_fails_because_the_run_is_stopped_is_not_recorded(
    path: str, tmp_path: Path
) -> None:
    """The platform is unavailable for one path, and the run is stopped while it retries. The model
    must not learn of a failure; the resumed run makes the call again."""
    refusals = 0

    def refuse_path(call: RelayedCall) -> bytes | None:
        nonlocal refusals
        if f'"{path}"'.encode() not in call.request:
            return None
        refusals += 1
        return UNAVAILABLE

    with relayed_platform(refuse_path) as platform:
        process = start_controlplane(
            *SHORT_PATIENCE_RUN,
            "--concurrency",
            "1",
            "--set",
            "call_patience_s=60",
            cwd=tmp_path,
            **platform.variables,
        )
        wait_until(lambda: refusals >= 2)  # It retries by now.
        process.send_signal(signal.SIGINT)
        wait_for_exit(process)

        platform.recover()
        resumed = run_in_process(
            "resume", "last", "--quiet", cwd=tmp_path, **platform.variables
        )
        assert resumed.code == OK
        platform.benchmark.check_delivered()

    (journal,) = tmp_path.glob("runs/*.jsonl")
    for trial in open_journal(journal).trials.values():
        assert "unavailable" not in recorded_error_codes(trial.record)
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


# --- A trial that the platform loses ---

TRIAL_IDS = ["run1-0", "run1-1", "run1-2", "run1-3"]
LOST_TRIAL = "run1-2"
"""The trial that the platform loses."""

IMPATIENT_RUN = (
    *RUN_EFFECT_COUNTER,
    "--set",
    "lifecycle_patience_s=0.5",
    "--set",
    "call_patience_s=0.5",
    "--set",
    "contact_patience_s=0.5",
    "--concurrency",
    "2",
)
"""A run that gives up every call after 0.5 s."""

TRIAL_TIMED_OUT = protocol_refusal(504, "deadline_exceeded", "the trial is gone")
TRIAL_BROKEN = protocol_refusal(500, "internal", "the trial is gone")
"""The platform's replies to the calls of a trial that it has lost."""


def concerns_lost_trial(call: RelayedCall) -> bool:
    """Return whether a call names `LOST_TRIAL`, in the path or in the body of its request."""
    in_path = f"/{LOST_TRIAL}/".encode()
    in_body = f'"{LOST_TRIAL}"'.encode()
    return in_path in call.request or in_body in call.request


def lose_trial(refusal: bytes, *, first_method: str) -> Rule:
    """Return the rule of a relay to refuse the calls of `LOST_TRIAL` from its first call of
    `first_method` on. Its calls before, and those of other trials, are passed on."""
    is_lost = False

    def rule(call: RelayedCall) -> bytes | None:
        nonlocal is_lost
        if not concerns_lost_trial(call):
            return None
        if call.method == first_method:
            is_lost = True
        if is_lost:
            return refusal
        return None

    return rule


@contextmanager
def losing_platform(
    rule: Rule,
    monkeypatch: pytest.MonkeyPatch,
    options: ServerOptions | None = None,
) -> Iterator[RelayedPlatform]:
    """Serve a platform that loses a trial by a rule of `lose_trial`.

    Its trials have the ids `TRIAL_IDS`, and a run tries only for a moment to end the lost one.
    """
    # Usually a run tries for 15 minutes to end a trial.
    monkeypatch.setattr(bounds, "END_RETRY_S", 0.3)
    # The server asks the module `secrets` for the random ids of the run and of its trials. Here it
    # gets these instead, so that a test can name the trial that is lost.
    ids = iter(["tally-1", *TRIAL_IDS])
    monkeypatch.setattr(
        served_runs, "secrets", SimpleNamespace(token_urlsafe=lambda length: next(ids))
    )
    with relayed_platform(rule, options) as platform:
        yield platform


def scores_by_trial(result: CommandResult) -> dict[str, float | None]:
    """Return the scores in the JSON that a command prints about a run: `{"run1-0": 1.0, ...}`."""
    return {trial["trial_id"]: trial["score"] for trial in result.json["trials"]}


def suggested_command(result: CommandResult, verb: str) -> list[str]:
    """Return the command with this verb that the error line suggests: `["submit", "runs/..."]`."""
    (error_line,) = result.err.strip().splitlines()
    (words,) = re.findall(rf"controlplane ({verb} \S+(?: --force)?)", error_line)
    return shlex.split(words)


@pytest.mark.parametrize(
    ("refusal", "first_method"),
    [
        pytest.param(TRIAL_TIMED_OUT, "Write", id="timed out, at a write"),
        pytest.param(TRIAL_BROKEN, "EndTrial", id="broken, at its end"),
        pytest.param(
            TRIAL_BROKEN, "Write", id="broken, at a write", marks=pytest.mark.heavy
        ),
        pytest.param(
            TRIAL_TIMED_OUT,
            "EndTrial",
            id="timed out, at its end",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_run_with_a_lost_trial_is_submitted_by_the_suggested_command(
    refusal: bytes,
    first_method: str,
    run_command_here: CommandRunner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run stops, since it cannot end the lost trial, and suggests two commands. The test calls
    both, and then both again."""
    rule = lose_trial(refusal, first_method=first_method)
    with losing_platform(rule, monkeypatch) as platform:
        benchmark = platform.benchmark
        stopped = run_command_here(*IMPATIENT_RUN, **platform.variables)
        assert stopped.code == Unreachable.exit_code, stopped.err
        resume = suggested_command(stopped, "resume")
        submit = suggested_command(stopped, "submit")

        # `resume` cannot end the lost trial either.
        resumed = run_command_here(*resume, "--quiet", **platform.variables)
        assert resumed.code == Unreachable.exit_code, resumed.err
        assert suggested_command(resumed, "submit") == submit
        assert len(benchmark.scores) == TRIALS - 1
        assert benchmark.submits == 0

        # `submit --force` scores the lost trial 0, and keeps the scores of all others.
        submitted = run_command_here(*submit, "--json", **platform.variables)
        assert submitted.code == OK
        assert submitted.json["submitted"] is True
        assert benchmark.submits == 1
        assert scores_by_trial(submitted) == {
            "run1-0": 1.0,
            "run1-1": 1.0,
            LOST_TRIAL: 0.0,
            "run1-3": 1.0,
        }

        assert list(scores_by_trial(submitted)) == TRIAL_IDS

        # Now there is nothing left to do.
        resumed_again = run_command_here("resume", "last", **platform.variables)
        assert resumed_again.code == OK
        assert "nothing to resume" in resumed_again.out
        submitted_again = run_command_here("submit", "last", **platform.variables)
        assert submitted_again.code == OK
        assert "already submitted" in submitted_again.out
        assert benchmark.submits == 1


# --- Scores that the platform hides at first ---


def test_hidden_scores_arrive_later_even_if_a_trial_is_lost(
    run_command_here: CommandRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The platform hides the scores of a submitted run for 0.2 s, and loses a trial when the run
    wants to end it. The lost trial gets a score, too, but the platform cannot tell the details."""
    rule = lose_trial(TRIAL_BROKEN, first_method="EndTrial")
    hidden_for_a_while = ServerOptions(policy="blind", reveal_after_s=0.2)
    with losing_platform(rule, monkeypatch, hidden_for_a_while) as platform:
        stopped = run_command_here(*IMPATIENT_RUN, **platform.variables)
        assert stopped.code == Unreachable.exit_code

        submitted = run_command_here(
            "submit", "last", "--force", "--json", **platform.variables
        )

    assert submitted.code == OK, submitted.err
    assert scores_by_trial(submitted) == {
        "run1-0": 1.0,
        "run1-1": 1.0,
        LOST_TRIAL: 0.0,
        "run1-3": 1.0,
    }
    shown = run_command_here("show", "last")
    assert f"the details of trial {LOST_TRIAL} are missing" in shown.out


def test_hidden_scores_are_no_failure_and_poll_fetches_them_later(
    tmp_path: Path,
) -> None:
    """The platform reveals the scores 1.5 s after the run. `poll`, which asks for them, is called
    before and after that."""
    reveal_after_s = 1.5
    hidden_for_a_while = ServerOptions(policy="blind", reveal_after_s=reveal_after_s)
    with relayed_platform(pass_all, hidden_for_a_while) as platform:
        run = run_in_process(
            *RUN_EFFECT_COUNTER,
            "--poll-time",
            "0",
            "--json",
            cwd=tmp_path,
            **platform.variables,
        )
        assert run.code == OK, run.err
        assert list(scores_by_trial(run).values()) == [None] * TRIALS
        assert run.json["score"] is None

        polled_early = run_in_process(
            "poll", "last", cwd=tmp_path, **platform.variables
        )
        assert polled_early.code == OK

        time.sleep(reveal_after_s + 0.1)
        polled = run_in_process(
            "poll", "last", "--json", cwd=tmp_path, **platform.variables
        )
        assert list(scores_by_trial(polled).values()) == [1.0] * TRIALS

    (journal,) = tmp_path.glob("runs/*.jsonl")
    assert open_journal(journal).summary.trials.mean_score == 1.0
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK


# --- Runs that the user stops in the middle ---


def interrupt_after_first_score(
    *command: str, platform: FaultyPlatform, cwd: Path, **variables: str
) -> None:
    """Start a run that plays its trials in turn, and stop it once a trial has its score."""
    process = start_controlplane(
        *command, "--concurrency", "1", cwd=cwd, **platform.variables, **variables
    )
    wait_until(lambda: bool(platform.benchmark.scores))
    process.send_signal(signal.SIGINT)
    wait_for_exit(process)


def test_a_run_with_open_trials_is_submitted_only_when_forced(tmp_path: Path) -> None:
    """Two commands submit an interrupted run. The second one is forced, and the platform scores the
    trials that were cut off with 0; the run's mean is that of the answered trials only."""
    trials = 6
    with faulty_platform(trials) as platform:
        interrupt_after_first_score(
            *RUN_EFFECT_COUNTER, platform=platform, cwd=tmp_path
        )
        refused = run_in_process("submit", "last", cwd=tmp_path, **platform.variables)
        assert refused.code == UsageError.exit_code
        assert "--force" in refused.err
        assert platform.benchmark.submits == 0

        forced = run_in_process(
            "submit", "last", "--force", "--json", cwd=tmp_path, **platform.variables
        )
        assert platform.benchmark.submits == 1
        assert forced.json["submitted"]

    assert set(scores_by_trial(forced).values()) <= {0.0, 1.0}
    scores_of_answered: list[float] = []
    for trial in forced.json["trials"]:
        if trial["state"] == "answered":
            scores_of_answered.append(trial["score"])
    # How many there are depends on the moment of the interrupt.
    answered = len(scores_of_answered)
    cut_off = trials - answered
    assert 0 < answered < trials
    assert forced.json["trials_scored"] == answered
    assert forced.json["mean_score"] == fmean(scores_of_answered)

    shown = run_in_process("show", "last", cwd=tmp_path)
    assert f"over {answered} of {trials} trials · {cut_off} cut off" in shown.out
    comparison = run_in_process("compare", "last", "last", "--json", cwd=tmp_path).json
    assert len(comparison["tasks"]) == answered
    assert len(comparison["without_score"]) == cut_off


def test_a_run_is_resumed_on_the_host_where_it_was_started(tmp_path: Path) -> None:
    """The command `run --benchmark bitgn` takes the host and the benchmark's name from the
    environment, and the journal records both. When the run is resumed, the environment names
    another host."""
    command: list[str] = []
    for word in RUN_EFFECT_COUNTER:
        command.append("bitgn" if word == "bitgn:tally" else word)

    with faulty_platform(trials=6) as platform:
        interrupt_after_first_score(
            *command, platform=platform, cwd=tmp_path, BENCH_ID="tally"
        )

        resumed = run_in_process(
            "resume",
            "last",
            cwd=tmp_path,
            BITGN_HOST="http://127.0.0.1:9",
            BITGN_API_KEY="k",
        )

        assert resumed.code == OK
        assert platform.benchmark.submits == 1
