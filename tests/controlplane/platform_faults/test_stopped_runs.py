"""Runs on a platform that are stopped, lose a trial, or wait for their scores.

An interrupted run is resumed on its host, and submitted only when forced. One signal stops a run
that waits or calls again. After the loss of a trial, the suggested command submits the others.
Scores that are told later are no failure: `poll` adds them to the journal.
"""

import json
import re
import shlex
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

import pytest

from controlplane.benchmarks.bitgn.server import ServerOptions
from controlplane.errors import Interrupted, Unreachable, UsageError
from controlplane.journal.journal_reader import open_journal
from controlplane.sandbox.interface import bounds
from tests.controlplane.platform_faults.faulty_platforms import (
    OK,
    UNAVAILABLE,
    Platform,
    RelayedPlatform,
    faulty_platform,
    relayed_platform,
    reply_to,
    scores_by_trial,
)
from tests.support.command import (
    CommandResult,
    run_in_process,
    wait_for_exit,
    wait_until,
)
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay import RelayedCall, pass_all, protocol_refusal

# Interrupts a run of several trials by Ctrl-C once the first has its score.
#
#     interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)
#
# Some trials are answered then, at most one is cut off in the middle, and the others have not begun.


def interrupt_after_first_score(
    platform: Platform, *run_command: str, **variables: str
) -> None:
    """Start a run that plays its trials in turn, and interrupt it once a trial has its score."""
    run = platform.start_command(*run_command, "--concurrency", "1", **variables)
    wait_until(lambda: bool(platform.benchmark.scores))
    run.send_signal(signal.SIGINT)
    wait_for_exit(run)


# The loss of one trial of a run: from one of its calls on, the platform refuses all calls about it.
#
#     loss = LossOfThirdTrial(at="Write", refusal=BROKEN)
#     loss(call)  # BROKEN for the first write of the third trial and all its later calls, otherwise None
#
# It is the rule of a relay, a server between the run and the platform, which asks it about each call.


class LossOfThirdTrial:
    """The rule of a relay by which the platform loses the third trial that a run starts.

    `LossOfThirdTrial(at="Write", refusal=BROKEN)`: the first write of this trial, and all its calls
    afterwards, are refused. Its earlier calls, and those of other trials, are passed on.
    """

    def __init__(self, *, at: str, refusal: bytes) -> None:
        self.method = at
        self.refusal = refusal
        self.trial_id = ""
        """The id of the trial, once it has started."""
        self.is_lost = False

    def __call__(self, call: RelayedCall) -> bytes | None:
        if call.method == "StartTrial" and call.number == 3:
            self.trial_id = trial_id_in(call)
        if trial_id_in(call) != self.trial_id:
            return None
        if call.method == self.method:
            self.is_lost = True
        return self.refusal if self.is_lost else None


def trial_id_in(call: RelayedCall) -> str | None:
    """Return the id of the trial that a call is about, or None if it is about the whole run.

    POST /trials/x9f2/bitgn.vm.ecom.EcomRuntime/Write       -> "x9f2"
    POST /bitgn.harness.HarnessService/EndTrial
    {"trialId": "x9f2"}                                     -> "x9f2"
    """
    head, _, body = call.request.partition(b"\r\n\r\n")
    _, path, _ = head.decode().split(" ", 2)
    if path.startswith("/trials/"):
        return path.split("/")[2]
    trial_id: str | None = json.loads(body).get("trialId")
    return trial_id


# A platform, the server of a benchmark, that plays three trials of a run well and loses one.
#
# A lost trial is one whose calls the platform refuses, from some call on. Tests look at what the run
# makes of it, and whether it plays the others to their end:
#
#     loss = LossOfThirdTrial(at="Write", refusal=BROKEN)   # refuses its first `Write` and all after it
#     with losing_platform(folder, loss, monkeypatch) as platform:
#         platform.command(*IMPATIENT_RUN)                  # `controlplane run ...`, with four trials
#     loss.trial_id                                         # the id of the lost trial

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
"""A run of four trials, two at a time, that tries each refused call for 0.5 s, not for minutes.

The settings are for calls that start and end trials, for calls of scripts, and for the first contact.
"""


@contextmanager
def losing_platform(
    folder: Path,
    loss: LossOfThirdTrial,
    monkeypatch: pytest.MonkeyPatch,
    options: ServerOptions | None = None,
) -> Iterator[RelayedPlatform]:
    """Serve a benchmark of four trials, and refuse calls of the third one as `loss` says.

    A run tries only for 0.3 s to end the lost trial (`END_RETRY_S`), instead of 15 minutes.
    """
    monkeypatch.setattr(bounds, "END_RETRY_S", 0.3)
    with relayed_platform(folder, loss, options, trials=4) as platform:
        yield platform


# Commands that a run with a lost trial suggests, and the scores that it has in the end.
#
#     suggested_command(stopped, "submit")    ->    ["submit", "runs/2031-05-04-....jsonl", "--force"]
#
# A platform loses a trial: it refuses all further calls of it with `BROKEN`, for example.

TIMED_OUT = protocol_refusal(504, "deadline_exceeded", "the trial is gone")


BROKEN = protocol_refusal(500, "internal", "the trial is gone")
"""The platform's replies to the calls of a trial that it has lost."""


def suggested_command(result: CommandResult, verb: str) -> list[str]:
    """Return the command with this verb that the error line suggests: `["submit", "runs/..."]`."""
    (error_line,) = result.err.strip().splitlines()
    (words,) = re.findall(rf"controlplane ({verb} \S+(?: --force)?)", error_line)
    return shlex.split(words)


def check_scores(submitted: CommandResult, *, lost_trial: str) -> None:
    """Assert that a submitted run lists its four trials in the order of their tasks, and that they
    have the score 1, but the lost trial has the score 0."""
    tasks = [trial["task_id"] for trial in submitted.json["trials"]]
    assert tasks == ["tally.0", "tally.1", "tally.2", "tally.3"]

    scores = scores_by_trial(submitted)
    assert scores.pop(lost_trial) == 0.0
    assert list(scores.values()) == [1.0, 1.0, 1.0]


# An interrupted run is submitted only by `submit --force`, which gives up its open trials.
#
# Six trials are played in turn, until the first has its score. The mean score is that of the trials that
# were answered: "over 2 of 6 trials · 4 cut off".

forced_submissions_pytestmark = pytest.mark.usefixtures("short_backoff")


def test_a_run_with_open_trials_is_submitted_only_when_forced(tmp_path: Path) -> None:
    with faulty_platform(tmp_path, trials=6) as platform:
        interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)

        refused = platform.command("submit", "last")
        assert refused.code == UsageError.exit_code
        assert "--force" in refused.err
        assert platform.benchmark.submits == 0

        forced = platform.command("submit", "last", "--force", "--json")
        assert platform.benchmark.submits == 1
        assert forced.json["submitted"]


def test_the_mean_score_of_a_forced_run_is_that_of_its_answered_trials(
    tmp_path: Path,
) -> None:
    """The platform scores the other trials with 0, but they do not count: it is not known how they
    would have ended. How many there are depends on the moment of the interrupt."""
    with faulty_platform(tmp_path, trials=6) as platform:
        interrupt_after_first_score(platform, *RUN_EFFECT_COUNTER)
        forced = platform.command("submit", "last", "--force", "--json")

    assert set(scores_by_trial(forced).values()) <= {0.0, 1.0}
    scores_of_answered = [
        trial["score"]
        for trial in forced.json["trials"]
        if trial["state"] == "answered"
    ]
    answered = len(scores_of_answered)
    assert 0 < answered < 6
    assert forced.json["trials_scored"] == answered
    assert forced.json["mean_score"] == fmean(scores_of_answered)

    cut_off = 6 - answered
    shown = run_in_process("show", "last", cwd=tmp_path)
    assert f"over {answered} of 6 trials · {cut_off} cut off" in shown.out

    compared = run_in_process("compare", "last", "last", "--json", cwd=tmp_path)
    assert len(compared.json["tasks"]) == answered
    assert len(compared.json["without_score"]) == cut_off


# An interrupted run is resumed on the host where it was started.
#
# `run --benchmark bitgn` takes the host from BITGN_HOST and the benchmark's name from BENCH_ID, and the
# journal records both. When the run is resumed, BITGN_HOST is another host.

resumed_hosts_pytestmark = pytest.mark.usefixtures("short_backoff")


def test_a_run_is_resumed_on_the_host_where_it_was_started(tmp_path: Path) -> None:
    # "--benchmark bitgn" instead of "--benchmark bitgn:tally"
    run_command = [word.removesuffix(":tally") for word in RUN_EFFECT_COUNTER]

    with faulty_platform(tmp_path, trials=6) as platform:
        interrupt_after_first_score(platform, *run_command, BENCH_ID="tally")

        resumed = run_in_process(
            "resume",
            "last",
            cwd=tmp_path,
            BITGN_HOST="http://127.0.0.1:9",
            BITGN_API_KEY="k",
        )

        assert resumed.code == 0
        assert platform.benchmark.submits == 1


# A platform loses a trial, and also keeps the scores of all trials back for a while.
#
#     run             stops at the lost trial: the platform refuses all calls about it
#     submit --force  submits the run without this trial, and waits for the scores
#
# A platform that keeps scores back is called "blind"; this one does so for 0.2 s after the submission.

hidden_scores_pytestmark = pytest.mark.usefixtures("short_backoff")


def test_hidden_scores_arrive_later_even_if_a_trial_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lost trial gets the score 0. The platform cannot tell the details of this score."""
    # From the call `EndTrial` on, the platform refuses calls about the third trial.
    loss = LossOfThirdTrial(at="EndTrial", refusal=BROKEN)
    blind_for_a_while = ServerOptions(policy="blind", reveal_after_s=0.2)
    with losing_platform(tmp_path, loss, monkeypatch, blind_for_a_while) as platform:
        stopped = platform.command(*IMPATIENT_RUN)  # It tries a call for 0.5 s only.
        assert stopped.code == Unreachable.exit_code

        submitted = platform.command("submit", "last", "--force", "--json")

    assert submitted.code == 0, submitted.err
    check_scores(submitted, lost_trial=loss.trial_id)
    shown = run_in_process("show", "last", cwd=tmp_path)
    assert f"the details of trial {loss.trial_id} are missing" in shown.out


# A run stops if the platform loses one of its four trials. The user may then submit the run.
#
# The platform loses the third trial: from one call on, it refuses all calls about this trial. The run
# plays the other three, and suggests two commands: `resume`, and `submit --force`, with which the
# lost trial gets the score 0.

submitted_runs_pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    ("first_refused_call", "refusal"),
    [
        pytest.param("Write", TIMED_OUT, id="write times out"),
        pytest.param("EndTrial", BROKEN, id="end fails"),
        # The option --heavy adds the two other pairs.
        pytest.param("Write", BROKEN, id="write fails", marks=pytest.mark.heavy),
        pytest.param(
            "EndTrial", TIMED_OUT, id="end times out", marks=pytest.mark.heavy
        ),
    ],
)
def test_a_run_with_a_lost_trial_is_submitted_by_the_suggested_command(
    first_refused_call: str,
    refusal: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loss = LossOfThirdTrial(at=first_refused_call, refusal=refusal)
    with losing_platform(tmp_path, loss, monkeypatch) as platform:
        stopped = platform.command(*IMPATIENT_RUN)
        assert stopped.code == Unreachable.exit_code, stopped.err
        resume = suggested_command(stopped, "resume")
        submit = suggested_command(stopped, "submit")

        # `resume` cannot end the lost trial either.
        resumed = platform.command(*resume, "--quiet")
        assert resumed.code == Unreachable.exit_code, resumed.err
        assert suggested_command(resumed, "submit") == submit
        assert len(platform.benchmark.scores) == 3
        assert platform.benchmark.submits == 0

        # `submit --force` scores the lost trial 0, and the others 1.
        submitted = platform.command(*submit, "--json")
        assert submitted.code == 0
        assert submitted.json["submitted"] is True
        assert platform.benchmark.submits == 1
        check_scores(submitted, lost_trial=loss.trial_id)

        resumed_again = platform.command("resume", "last")
        assert resumed_again.code == 0
        assert "nothing to resume" in resumed_again.out
        submitted_again = platform.command("submit", "last")
        assert submitted_again.code == 0
        assert "already submitted" in submitted_again.out
        assert platform.benchmark.submits == 1


# One signal, as by Ctrl-C, ends a run that was told to call again in some minutes.
#
# A platform asks the run by "429, Retry-After: 200" to make a call again later. The user does not have to
# wait for that: `resume` goes on when the platform has recovered. A relay, which stands between the run
# and the platform, refuses the calls in its place.

told_to_wait_pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    ("method", "stop_signal"),
    [
        pytest.param("Read", signal.SIGINT, id="a call of a trial, Ctrl-C"),
        pytest.param("SubmitRun", signal.SIGINT, id="the submission, Ctrl-C"),
        pytest.param(
            "Read",
            signal.SIGTERM,
            id="a call of a trial, SIGTERM",
            marks=pytest.mark.heavy,
        ),
        pytest.param(
            "SubmitRun",
            signal.SIGTERM,
            id="the submission, SIGTERM",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_a_run_that_is_to_call_again_later_is_stopped_and_resumed(
    method: str, stop_signal: signal.Signals, tmp_path: Path
) -> None:
    """The platform asks the run to make the same call again after 200 s, and the run waits."""
    call_again_later = protocol_refusal(429, "resource_exhausted", retry_after="200")

    with relayed_platform(
        tmp_path, reply_to(method, reply=call_again_later)
    ) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER)
        wait_until(lambda: platform.relay.calls[method] >= 1)
        process.send_signal(stop_signal)
        stopped = wait_for_exit(process)
        assert stopped.code == Interrupted.exit_code, stopped.err
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()


# One signal, as by Ctrl-C, ends a run that calls an unavailable platform again and again.
#
# The run would do so for five minutes. The user does not have to wait for that: `resume` goes on when
# the platform has recovered. A relay, which stands between the run and the platform, refuses the calls
# in its place.

unavailable_platforms_pytestmark = pytest.mark.usefixtures("short_backoff")


@pytest.mark.parametrize(
    ("method", "stop_signal"),
    [
        pytest.param("StartTrial", signal.SIGTERM, id="a start, SIGTERM"),
        pytest.param(
            "StartTrial", signal.SIGINT, id="a start, Ctrl-C", marks=pytest.mark.heavy
        ),
        pytest.param(
            "EndTrial", signal.SIGINT, id="an end, Ctrl-C", marks=pytest.mark.heavy
        ),
        pytest.param(
            "EndTrial", signal.SIGTERM, id="an end, SIGTERM", marks=pytest.mark.heavy
        ),
    ],
)
def test_a_run_that_calls_an_unavailable_platform_is_stopped_and_resumed(
    method: str, stop_signal: signal.Signals, tmp_path: Path
) -> None:
    """The run calls again after short pauses, for five minutes. The second call shows that it does."""
    with relayed_platform(tmp_path, reply_to(method, reply=UNAVAILABLE)) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER)
        wait_until(lambda: platform.relay.calls[method] >= 2)
        process.send_signal(stop_signal)
        stopped = wait_for_exit(process)
        assert stopped.code == Interrupted.exit_code, stopped.err
        assert platform.benchmark.submits == 0

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == 0, resumed.err
        platform.benchmark.check_each_effect_happened_once()


# One signal, as by Ctrl-C, ends a run that waits for its very first call.
#
# The platform is unavailable, so that the run has not begun: there is no journal, and nothing to resume.

unstarted_runs_pytestmark = pytest.mark.usefixtures("short_backoff")


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
    with relayed_platform(
        tmp_path, reply_to("StartRun", reply=UNAVAILABLE)
    ) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER)
        wait_until(lambda: platform.relay.calls["StartRun"] >= 2)
        process.send_signal(stop_signal)
        stopped = wait_for_exit(process)

        assert stopped.code == Interrupted.exit_code, stopped.err
        assert "interrupted before the run began" in stopped.err
        assert not list(tmp_path.rglob("*.jsonl"))
        assert platform.benchmark.submits == 0


pytestmark = pytest.mark.usefixtures("short_backoff")

# Runs against a "blind" platform, which tells the scores of a submitted run only later.
#
# A run waits for the scores for as long as `--poll-time` says, and then ends without them. That is
# not a failure: the command `poll` asks for them again, and adds them to the journal.


REVEAL_AFTER_S = 1.5
"""How long after its submission the platform tells the scores of a run."""


def test_hidden_scores_are_no_failure_and_poll_fetches_them_later(
    tmp_path: Path,
) -> None:
    """The run does not wait for the scores. `poll` is called before and after they are revealed."""
    blind_for_a_while = ServerOptions(policy="blind", reveal_after_s=REVEAL_AFTER_S)

    with relayed_platform(tmp_path, pass_all, blind_for_a_while) as platform:
        run = platform.command(*RUN_EFFECT_COUNTER, "--poll-time", "0", "--json")
        assert run.code == OK, run.err
        scores = list(scores_by_trial(run).values())
        assert scores == [None, None]
        assert run.json["score"] is None

        polled_early = platform.command("poll", "last")
        assert polled_early.code == OK

        time.sleep(REVEAL_AFTER_S + 0.1)
        polled = platform.command("poll", "last", "--json")
        scores = list(scores_by_trial(polled).values())
        assert scores == [1.0, 1.0]

    assert open_journal(platform.journal).summary.trials.mean_score == 1.0
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK
