"""`show --follow` reads the journal of a run until the run ends, or its process is gone.

With `--json`, it prints an event a line: `{"type": "run_opened", ...}`. `script` is the file with the
replies of the model, and `recorded` a finished run of 25 trials, "first".
"""

import json
import signal
from pathlib import Path

from tests.controlplane.commands.show.running_trials import run_of_three_trials
from tests.support.asked_turns import wait_for_turns
from tests.support.command import run_in_process, start_controlplane
from tests.support.recorded_run import RecordedRun


def test_follow_prints_events_as_json_with_their_texts(recorded: RecordedRun) -> None:
    """The journal writes a long text once and refers to it by a key; here it is in its
    place."""
    followed = recorded.run_command("show", "first", "--follow", "--json")

    events = [json.loads(line) for line in followed.out.splitlines()]
    assert events[0]["type"] == "run_opened"
    assert events[-1]["type"] == "run_closed"
    conversations = [
        event for event in events if event["type"] == "conversation_opened"
    ]
    assert conversations[0]["system"].startswith("You solve one task")


def test_a_running_run_is_followed_to_its_end(script: Path, tmp_path: Path) -> None:
    """Another process plays the run, while `show --follow` reads its journal."""
    command = run_of_three_trials(script, call_s=0.4)
    with start_controlplane(*command, cwd=tmp_path) as process:
        wait_for_turns(tmp_path)
        followed = run_in_process("show", "last", "--follow", cwd=tmp_path)
        process.communicate(timeout=30)

    assert "mean score 1.000 over 3 of 3 trials" in followed.out


def test_a_run_whose_process_was_killed_is_not_waited_for(
    script: Path, tmp_path: Path
) -> None:
    """A killed process cannot write the end of the run to its journal."""
    command = run_of_three_trials(script, call_s=30)
    with start_controlplane(*command, cwd=tmp_path) as process:
        wait_for_turns(tmp_path)
        list_while_running = run_in_process("runs", cwd=tmp_path).out
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    followed = run_in_process("show", "last", "--follow", cwd=tmp_path)
    list_after_kill = run_in_process("runs", cwd=tmp_path).out

    message = "the process of this run is gone; the journal ends here"
    assert followed.err.strip() == message
    assert "running" in list_while_running
    assert "cut off" in list_after_kill
