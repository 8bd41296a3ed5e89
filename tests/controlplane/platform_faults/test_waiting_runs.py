"""Runs that the user stops while they wait for a platform, as by Ctrl-C.

A platform may be unavailable, or ask a run to call again in some minutes. The user does not have to
wait for that: one signal ends the run, which `resume` continues later. A relay between the run and
the platform refuses calls in the platform's place.
"""

import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.errors import Interrupted
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.platform_faults.platform_commands import OK
from tests.controlplane.platform_faults.relayed_platforms import (
    SHORT_PATIENCE_RUN,
    RelayedPlatform,
    relayed_platform,
)
from tests.controlplane.platform_faults.reply_rules import UNAVAILABLE, reply_to
from tests.support.command import (
    CommandResult,
    run_in_process,
    wait_for_exit,
    wait_until,
)
from tests.support.relay.relayed_calls import RelayedCall, protocol_refusal

pytestmark = pytest.mark.usefixtures("short_backoff")

CALL_AGAIN_LATER = protocol_refusal(429, "resource_exhausted", retry_after="200")
"""A reply that asks the run to make the same call again after 200 s. The run does so.

It would not wait as the platform asks for more than 300 s: it would take the call as failed.
"""


@dataclass(frozen=True)
class Wait:
    """A method of the platform that refuses all calls, so that a run waits there."""

    method: str
    refusal: bytes
    calls: int
    """The number of refused calls after which a test sends the signal: the run waits then."""


# Where a run waits for 200 s. It does so from the first call on.
READING = Wait("Read", CALL_AGAIN_LATER, calls=1)
SUBMITTING = Wait("SubmitRun", CALL_AGAIN_LATER, calls=1)
# Where a run calls again after short pauses. The second call shows that it waits, and has not failed.
STARTING_RUN = Wait("StartRun", UNAVAILABLE, calls=2)
STARTING_TRIAL = Wait("StartTrial", UNAVAILABLE, calls=2)
ENDING_TRIAL = Wait("EndTrial", UNAVAILABLE, calls=2)


def stop_while_waiting(
    wait: Wait, stop_signal: signal.Signals, platform: RelayedPlatform
) -> CommandResult:
    """Start a run, send it the signal while it waits, and return its result.

    Asserts that it ends without waiting on, as interrupted, and submits nothing.
    """
    # The run gives up on calls of a trial after seconds. On the start or the end of a run or trial,
    # it is to wait for two hours, much longer than the test, so that only the signal ends it.
    long_lifecycle_patience = ("--set", "lifecycle_patience_s=7200")
    process = platform.start_command(*SHORT_PATIENCE_RUN, *long_lifecycle_patience)
    wait_until(lambda: platform.relay.calls[wait.method] >= wait.calls)
    process.send_signal(stop_signal)
    result = wait_for_exit(process)

    assert result.code == Interrupted.exit_code, result.err
    assert platform.benchmark.submits == 0
    return result


def check_stop_and_resume(
    wait: Wait, stop_signal: signal.Signals, folder: Path
) -> None:
    """Stop a run while it waits, and resume it once the platform answers again. Assert that every
    effect has happened once."""
    rule = reply_to(wait.method, reply=wait.refusal)

    with relayed_platform(folder, rule) as platform:
        stop_while_waiting(wait, stop_signal, platform)

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")

        assert resumed.code == OK, resumed.err
        platform.benchmark.check_each_effect_happened_once()


class TestStoppedWaiting:
    """A run waits for the platform at one of its methods, and gets a signal.

    At a read or the submission it is told to call again in 200 s. At a start or an end, it calls
    an unavailable platform again and again. One signal ends either, and `resume` goes on.
    """

    @pytest.mark.parametrize(
        "stop_signal",
        [
            pytest.param(signal.SIGINT, id="Ctrl-C"),
            pytest.param(signal.SIGTERM, id="SIGTERM", marks=pytest.mark.heavy),
        ],
    )
    def test_a_run_that_waits_for_its_start_is_stopped_without_a_journal(
        self, stop_signal: signal.Signals, tmp_path: Path
    ) -> None:
        """The platform is unavailable for the very first call. There is nothing to resume."""
        rule = reply_to(STARTING_RUN.method, reply=STARTING_RUN.refusal)

        with relayed_platform(tmp_path, rule) as platform:
            result = stop_while_waiting(STARTING_RUN, stop_signal, platform)

        assert "interrupted before the run began" in result.err
        assert not list(tmp_path.rglob("*.jsonl"))

    @pytest.mark.parametrize(
        ("wait", "stop_signal"),
        [
            pytest.param(READING, signal.SIGINT, id="a call of a trial, Ctrl-C"),
            pytest.param(SUBMITTING, signal.SIGINT, id="the submission, Ctrl-C"),
            pytest.param(STARTING_TRIAL, signal.SIGTERM, id="a start, SIGTERM"),
        ],
    )
    def test_a_run_that_waits_for_the_platform_is_stopped_by_one_signal_and_resumed(
        self, wait: Wait, stop_signal: signal.Signals, tmp_path: Path
    ) -> None:
        check_stop_and_resume(wait, stop_signal, tmp_path)

    @pytest.mark.heavy
    @pytest.mark.parametrize(
        ("wait", "stop_signal"),
        [
            pytest.param(STARTING_TRIAL, signal.SIGINT, id="a start, Ctrl-C"),
            pytest.param(READING, signal.SIGTERM, id="a call of a trial, SIGTERM"),
            pytest.param(ENDING_TRIAL, signal.SIGINT, id="an end, Ctrl-C"),
            pytest.param(ENDING_TRIAL, signal.SIGTERM, id="an end, SIGTERM"),
            pytest.param(SUBMITTING, signal.SIGTERM, id="the submission, SIGTERM"),
        ],
    )
    def test_a_run_is_stopped_in_the_same_way_wherever_it_waits(
        self, wait: Wait, stop_signal: signal.Signals, tmp_path: Path
    ) -> None:
        """The further cases of the test above."""
        check_stop_and_resume(wait, stop_signal, tmp_path)


def recorded_error_codes(trial: TrialRecord) -> set[str]:
    """Return the codes of the errors of a trial's calls, such as `{"not_found"}`: of the calls
    that its first message needs, and of those that its scripts make."""
    assert trial.initial_prompt is not None
    calls = list(trial.initial_prompt.calls)
    for step in trial.step_summaries:
        calls += step.calls
    return {call.error.code for call in calls if call.error is not None}


class TestUnrecordedFailures:
    """A call fails because the run is stopped: the model never gets to know it.

    The platform is unavailable for one path, such as /note.txt, and the run calls again and again.
    It is interrupted meanwhile, and resumed when the platform has recovered.
    """

    @pytest.mark.parametrize(
        "path",
        [
            pytest.param("/note.txt", id="a file that a script reads"),
            pytest.param(
                "/bin/refund", id="a program whose help the first message shows"
            ),
            pytest.param(
                "/AGENTS.MD",
                id="a document that the first message shows",
                marks=pytest.mark.heavy,
            ),
        ],
    )
    def test_a_call_that_fails_because_the_run_is_stopped_is_not_recorded(
        self, path: str, tmp_path: Path
    ) -> None:
        """1. The platform refuses each call for the path, and the run calls again after pauses.
        2. Ctrl-C ends the run. The journal must not have "unavailable" as the result of the call.
        3. The platform answers again, and the resumed run makes the call again.
        """
        refusals = 0

        def refuse_path(call: RelayedCall) -> bytes | None:
            nonlocal refusals
            if f'"{path}"'.encode() not in call.request:
                return None
            refusals += 1
            return UNAVAILABLE

        with relayed_platform(tmp_path, refuse_path) as platform:
            process = platform.start_command(
                *SHORT_PATIENCE_RUN, "--concurrency", "1", "--set", "call_patience_s=60"
            )
            # The second refusal shows that the run has begun to call again.
            wait_until(lambda: refusals >= 2)
            process.send_signal(signal.SIGINT)
            wait_for_exit(process)

            platform.recover()
            resumed = platform.command("resume", "last", "--quiet")
            assert resumed.code == OK
            platform.benchmark.check_each_effect_happened_once()

        for trial in open_journal(platform.journal).trials.values():
            assert "unavailable" not in recorded_error_codes(trial.record)
        assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK
