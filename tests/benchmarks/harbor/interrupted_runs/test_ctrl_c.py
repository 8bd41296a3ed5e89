"""Ctrl-C stops the container of a trial, and `resume` starts it again, with its files.

1. A shell command of the agent writes /tmp/kept in the container, and waits for the file /tmp/go.
2. Ctrl-C is pressed. Then /tmp/go is copied into the container.
3. The run is resumed. The command is made again, from its beginning, and ends, as /tmp/go is there.

So the container is the same one. In a new container, the command would wait for ever.
"""

import signal
import subprocess
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.benchmarks.harbor.container_runs import resume_last_run, write_task
from tests.benchmarks.harbor.interrupted_runs.waiting_runs import (
    WAIT,
    answer_with_output_of,
    interrupt,
    shell,
    start_run,
)
from tests.benchmarks.harbor.trial_containers import (
    container_states,
    wait_for_waiting_container,
)
from tests.support.command import wait_until

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_ctrl_c_stops_the_container_and_resume_starts_it_with_its_files(
    tmp_path: Path,
) -> None:
    task = write_task(tmp_path / "interrupted-task")
    scripts = [
        shell(f"echo kept >/tmp/kept; {WAIT}"),  # waits for /tmp/go
        answer_with_output_of("cat /tmp/kept"),
    ]
    run = start_run(task, scripts)
    name = wait_for_waiting_container(task.name)
    interrupt(run, by=signal.SIGINT)  # and wait for its end
    # On a busy machine podman may record only later that the container has ended.
    wait_until(lambda: container_states(task.name) == {name: "exited"})
    # No command can be run in a container that has ended, so the file is copied.
    go = tmp_path / "go"
    go.touch()
    subprocess.run(["podman", "cp", str(go), f"{name}:/tmp/go"], check=True)

    resumed = resume_last_run(tmp_path)

    assert run.returncode == Interrupted.exit_code
    (trial,) = resumed.json["trials"]
    assert trial["score"] == 1.0, resumed.err
    assert trial["answer"] == "kept\n"
    assert container_states(task.name) == {}
