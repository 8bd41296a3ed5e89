"""A killed run leaves its container running, and `resume` goes on in it.

1. In step 1, the agent adds a line to a file, and starts a process in the background.
2. The run is killed in step 2, whose command waits until the file /tmp/go is made.
3. The run is resumed. Step 3 answers with the lines of the file and the number of processes.
"""

import shutil
import signal
from pathlib import Path

import pytest

from tests.benchmarks.harbor.container_runs import TASKS, resume_last_run
from tests.benchmarks.harbor.interrupted_runs.waiting_runs import (
    WAIT,
    answer_with_output_of,
    interrupt,
    let_command_go_on,
    shell,
    start_run,
)
from tests.benchmarks.harbor.trial_containers import (
    container_states,
    wait_for_waiting_container,
)

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_a_resumed_run_goes_on_in_the_container_of_the_killed_run(
    tmp_path: Path,
) -> None:
    """The line and the process of step 1 are there once: it was not repeated."""
    task = tmp_path / "killed-run-task"
    # A task that cannot be done: the agent has to write that a key is missing.
    shutil.copytree(TASKS / "impossible", task)
    # The brackets keep grep from finding itself among the processes.
    lines_and_processes = "cat /tmp/count; ps | grep -c 'sleep 100[0]'"
    write_that_the_key_is_missing = 'harness.write("/app/impossible.txt", "no key")\n'
    scripts = [
        shell("echo once >>/tmp/count; sleep 1000 &"),
        shell(WAIT),
        write_that_the_key_is_missing + answer_with_output_of(lines_and_processes),
    ]
    run = start_run(task, scripts)
    name = wait_for_waiting_container(task.name)
    interrupt(run, by=signal.SIGKILL)
    let_command_go_on(name)

    resumed = resume_last_run(tmp_path)

    (trial,) = resumed.json["trials"]
    assert trial["score"] == 1.0, resumed.err
    lines, processes = trial["answer"].split()
    assert lines == "once"  # Step 1 was not repeated,
    assert processes == "1"  # and its process still ran.
    assert container_states(task.name) == {}
