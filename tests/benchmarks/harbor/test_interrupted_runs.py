"""Runs of tasks in containers that are interrupted, and then resumed.

The container of a trial stays, and `resume` goes on in it, with its files and background processes. In
each test, a command of the agent waits in the container. The test interrupts the run, lets
the command go on, and resumes the run, whose score must be that of one that was not
interrupted.
"""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES, missing_reason
from tests.benchmarks.harbor.container_runs import resume_last_run, write_task
from tests.benchmarks.harbor.trial_containers import (
    container_states,
    wait_for_waiting_container,
)
from tests.support.command import run_controlplane, start_controlplane, wait_until

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    """Skip the tests where no container can be run."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


WAIT = "touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done"
"""A shell command that makes /tmp/waiting, and waits until the test makes /tmp/go."""


def shell(command: str) -> str:
    """Return a script of the model that runs a shell command in the container."""
    return f"harness.shell({command!r})\n"


def answer_with_output_of(command: str) -> str:
    """Return a script of the model that answers with the output of a shell command."""
    return f"""
scratchpad["answer"] = harness.shell({command!r}).stdout
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: bool(sp["answer"]))
"""


def start_run(task: Path, scripts: list[str], *options: str) -> subprocess.Popen[str]:
    """Start a run of a task with a model whose replies are these scripts, one a step."""
    replies = [f"[[reply]]\ncode = {json.dumps(script)}\n" for script in scripts]
    path = task.parent / "replies.toml"
    path.write_text("".join(replies))
    words = ("run", "--benchmark", f"harbor:{task}", "--model", f"scripted:{path}")
    return start_controlplane(*words, *options, cwd=task.parent, **PROCESS_VARIABLES)


def interrupt(run: subprocess.Popen[str], by: signal.Signals) -> None:
    """Send a signal to a run, and wait for its end."""
    run.send_signal(by)
    run.communicate()


class TestCtrlC:
    """Ctrl-C stops the container of a trial, and `resume` starts it again.

    1. A command writes a file and waits. Then Ctrl-C is pressed, which stops the container.
    2. The file /tmp/go is copied into the container, so that the command would go on.
    3. The run is resumed. The command is made again, and the answer is the text of its file.
    """

    def test_ctrl_c_stops_the_container_and_resume_starts_it_with_its_files(
        self, tmp_path: Path
    ) -> None:
        """The first command has written the file before Ctrl-C was pressed."""
        task = write_task(tmp_path / "interrupted-task")
        scripts = [
            shell(f"echo kept >/tmp/kept; {WAIT}"),
            answer_with_output_of("cat /tmp/kept"),
        ]
        run = start_run(task, scripts)
        name = wait_for_waiting_container(task.name)
        interrupt(run, by=signal.SIGINT)
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


def let_command_go_on(container: str) -> None:
    """Make the file for which a command waits in a running container.

    On a busy machine, podman may fail to enter the container for a moment, so it is asked again.
    """
    command = ["podman", "exec", container, "touch", "/tmp/go"]
    wait_until(lambda: subprocess.run(command, check=False).returncode == 0)


class TestKilledRun:
    """A killed run leaves its container running, and `resume` goes on in it.

    1. Step 1 adds a line to a file, and starts a process in the background.
    2. The run is killed in step 2, whose command waits.
    3. The run is resumed. Step 3 answers with the lines of the file and the number of processes.

    `WAIT` is a command that waits until the test lets it go on.
    """

    def test_a_resumed_run_goes_on_in_the_container_of_the_killed_run(
        self, tmp_path: Path
    ) -> None:
        """The line and the process of step 1 are there once: it was not repeated."""
        task = tmp_path / "killed-run-task"
        # A task that cannot be done: the agent has to write that a key is missing.
        task_impossible = Path(__file__).parent / "tasks" / "impossible"
        shutil.copytree(task_impossible, task)
        # The brackets keep grep from finding itself among the processes.
        lines_and_processes = "cat /tmp/count; ps | grep -c 'sleep 100[0]'"
        scripts = [
            shell("echo once >>/tmp/count; sleep 1000 &"),
            shell(WAIT),
            'harness.write("/app/impossible.txt", "no key")\n'
            + answer_with_output_of(lines_and_processes),
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


class TestLostContainer:
    """A container may be lost with the run, and the user chooses what happens then.

    1. Step 1 adds a line to a file. The run is killed in step 2, whose command waits (`WAIT`),
       and its container is removed.
    2. The run is resumed in a new container. By `lost_container=repeat`, the calls of step 1
       are made again, without the model; by `restart`, the trial begins anew.
    3. Step 2 waits once more, and is let go on. Step 3 answers with the lines of the file: one.
    """

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
        self, tmp_path: Path, lost_container: str, replies_in_journal: int
    ) -> None:
        """The user has chosen by an option of the run that was killed."""
        task = write_task(tmp_path / f"lost-{lost_container}")
        scripts = [
            shell("echo first >>/tmp/made"),
            shell(WAIT),
            answer_with_output_of("cat /tmp/made"),
        ]
        run = start_run(task, scripts, "--set", f"lost_container={lost_container}")
        lost_name = wait_for_waiting_container(task.name)
        interrupt(run, by=signal.SIGKILL)
        remove = ["podman", "rm", "--force", lost_name]
        subprocess.run(remove, check=True, capture_output=True)

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
