"""A container may be lost with the run, and the user chooses what happens then.

1. In step 1, the agent adds a line to a file. The run is killed in step 2, whose command waits
   until /tmp/go is made, and the container is removed.
2. The run is resumed in a new container. By `lost_container=repeat`, the calls of step 1
   are made again, without the model; by `restart`, the trial begins anew.
3. Step 2 waits once more, and is let go on. Step 3 answers with the lines of the file: one.
"""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES
from tests.benchmarks.harbor.container_runs import write_task
from tests.benchmarks.harbor.interrupted_runs.waiting_runs import (
    WAIT,
    answer_with_output_of,
    interrupt,
    let_command_go_on,
    shell,
    start_run,
)
from tests.benchmarks.harbor.trial_containers import wait_for_waiting_container
from tests.support.command import run_controlplane, start_controlplane

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


@pytest.mark.parametrize(
    ("lost_container", "replies_in_journal"),
    [
        # The recorded call of step 1 is made again. The model replies once in each step.
        pytest.param("repeat", 3, id="repeat the calls"),
        # The two replies before the kill, and three of the new trial.
        pytest.param("restart", 5, id="restart the trial"),
    ],
)
def test_a_run_is_resumed_without_its_container_as_the_user_has_chosen(
    tmp_path: Path, lost_container: str, replies_in_journal: int
) -> None:
    task = write_task(tmp_path / f"lost-{lost_container}")
    scripts = [
        shell("echo first >>/tmp/made"),
        shell(WAIT),
        answer_with_output_of("cat /tmp/made"),
    ]
    run = start_run(task, scripts, "--set", f"lost_container={lost_container}")
    lost_name = wait_for_waiting_container(task.name)
    interrupt(run, by=signal.SIGKILL)
    subprocess.run(["podman", "rm", "--force", lost_name], check=True)

    resumption = start_controlplane(
        "resume", "last", "--json", cwd=tmp_path, **PROCESS_VARIABLES
    )
    let_command_go_on(wait_for_waiting_container(task.name))
    output, errors = resumption.communicate()

    (trial,) = json.loads(output)["trials"]
    assert trial["score"] == 1.0, errors
    assert trial["answer"] == "first\n"
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    replies = journal.read_text().count('"type":"model_replied"')
    assert replies == replies_in_journal
    replayed = run_controlplane("replay", "last", "--verify", cwd=tmp_path)
    assert replayed.code == 0, replayed.err
