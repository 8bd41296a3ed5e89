"""`show` about a run that another process still plays, and about one whose process was killed.

If the process is killed, nothing says so in the journal of the run. `show` finds out, calls the run
"cut off", and suggests to resume it.
"""

import re
from pathlib import Path

from tests.controlplane.commands.show.running_trials import run_of_three_trials
from tests.support.asked_turns import wait_for_turns
from tests.support.command import run_in_process, start_controlplane


def test_show_suggests_to_follow_a_running_run_and_to_resume_a_killed_one(
    script: Path, tmp_path: Path
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
