"""A call that fails because its run is stopped is not recorded, and made again by `resume`.

1. The platform is unavailable for one path, and the run calls again and again.
2. Ctrl-C ends the run. The journal must not have "unavailable" as the result of the call: the model
   would take that for an answer of its world.
3. The platform answers again, and the resumed run makes the call again.
"""

import signal
from pathlib import Path

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.journal.journal_reader import open_journal
from tests.controlplane.platform_faults.platform_commands import OK
from tests.controlplane.platform_faults.relayed_platforms import relayed_platform
from tests.controlplane.platform_faults.reply_rules import UNAVAILABLE
from tests.support.command import run_in_process, wait_for_exit, wait_until
from tests.support.effect_counter import RUN_EFFECT_COUNTER
from tests.support.relay.relayed_calls import RelayedCall


def recorded_error_codes(trial: TrialRecord) -> set[str]:
    """Return the codes of the errors of a trial's calls, such as `{"not_found"}`.

    They are the calls whose results the first message shows, and those of scripts.
    """
    assert trial.initial_prompt is not None
    calls = list(trial.initial_prompt.calls)
    for step in trial.step_summaries:
        calls += step.calls
    return {call.error.code for call in calls if call.error is not None}


@pytest.mark.usefixtures("short_backoff")
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
    refused_calls: list[RelayedCall] = []

    def refuse_path(call: RelayedCall) -> bytes | None:
        if f'"{path}"'.encode() not in call.request:
            return None
        refused_calls.append(call)
        return UNAVAILABLE

    with relayed_platform(tmp_path, refuse_path) as platform:
        process = platform.start_command(*RUN_EFFECT_COUNTER, "--concurrency", "1")
        # The second refusal shows that the run has begun to call again.
        wait_until(lambda: len(refused_calls) >= 2)
        process.send_signal(signal.SIGINT)
        wait_for_exit(process)

        platform.recover()
        resumed = platform.command("resume", "last", "--quiet")
        assert resumed.code == OK
        platform.benchmark.check_each_effect_happened_once()

    for trial in open_journal(platform.journal).trials.values():
        assert "unavailable" not in recorded_error_codes(trial.record)
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == OK
