"""`show` about a run that another process still plays, and `--follow`, which waits for its end.

`show last --follow` reads the journal while the run writes it, until the run ends. If the process of
the run is killed, nothing says so in the journal. `show` finds out, and calls the run "cut off".
"""

import json
import re
import signal
from pathlib import Path

from tests.support.command import run_in_process, start_controlplane
from tests.support.many_trials import wait_for_turns
from tests.support.recorded_run import RecordedRun


def run_of_three_trials(script: Path, *, call_s: float) -> tuple[str, ...]:
    """Return the words of a command that plays three trials, in which each call takes `call_s`
    seconds. A model replies with the steps of `script`."""
    benchmark = ("--benchmark", "tests.support.many_trials:3")
    model = ("--model", f"scripted:{script}")
    return ("run", *benchmark, "--set", f"seconds={call_s}", *model)


class TestRunningRuns:
    """Another process plays a run of three trials, whose calls take long.

    `show` says that they are running, or that the run was cut off if its process was killed.
    `script` is the file with the replies of its model.
    """

    def test_show_suggests_to_follow_a_running_run_and_to_resume_a_killed_one(
        self, script: Path, tmp_path: Path
    ) -> None:
        """Start a run whose calls take 30 s, show it, kill it, and show it again."""
        command = run_of_three_trials(script, call_s=30)
        with start_controlplane(*command, cwd=tmp_path) as process:
            wait_for_turns(tmp_path, turns=3)  # All three trials are under way.
            running = run_in_process("show", "last", cwd=tmp_path).out
            process.kill()
            process.communicate(timeout=30)
        killed = run_in_process("show", "last", cwd=tmp_path).out

        assert re.search(r"^next .* show 2\S+ --follow", running, re.MULTILINE)
        assert " resume " not in running
        assert running.count(" running ") == 3
        assert re.search(r"^next .* resume 2", killed, re.MULTILINE)
        assert killed.count(" open ") == 3
        assert killed.count("cut off") == 3


class TestFollowedRuns:
    """`show --follow` reads the journal until the run ends, or its process is gone.

    With `--json`, it prints an event a line. `script` is the file with the replies of the
    model, and `recorded` a finished run of 25 trials, "first".
    """

    def test_follow_prints_events_as_json_with_their_texts(
        self, recorded: RecordedRun
    ) -> None:
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

    def test_a_running_run_is_followed_to_its_end(
        self, script: Path, tmp_path: Path
    ) -> None:
        """Another process plays the run, while `show --follow` reads its journal."""
        command = run_of_three_trials(script, call_s=0.4)
        with start_controlplane(*command, cwd=tmp_path) as process:
            wait_for_turns(tmp_path)
            followed = run_in_process("show", "last", "--follow", cwd=tmp_path)
            process.communicate(timeout=30)

        assert "mean score 1.000 over 3 of 3 trials" in followed.out

    def test_a_run_whose_process_was_killed_is_not_waited_for(
        self, script: Path, tmp_path: Path
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
