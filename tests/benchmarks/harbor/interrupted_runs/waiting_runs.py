"""Runs of a task whose agent runs shell commands in a container, and waits in one of them.

    scripts = [shell("ls"), shell(WAIT), answer_with_output_of("cat /tmp/kept")]
    run = start_run(task, scripts)  # waits in the second step until /tmp/go is made

A script is the model's reply in one step.
"""

import json
import signal
import subprocess
from pathlib import Path

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES
from tests.support.command import start_controlplane, wait_until

WAIT = "touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done"
"""A shell command that makes /tmp/waiting, and waits until the test makes /tmp/go."""


def shell(command: str) -> str:
    """Return a script that runs a command: `shell("ls")` is "harness.shell('ls')" and a line end."""
    return f"harness.shell({command!r})\n"


def answer_with_output_of(command: str) -> str:
    """Return a script that runs a shell command, and answers with its output."""
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


def let_command_go_on(container: str) -> None:
    """Make the file for which a command waits in a running container.

    On a busy machine, podman may fail to enter the container for a moment, so it is asked again.
    """
    command = ["podman", "exec", container, "touch", "/tmp/go"]
    wait_until(lambda: subprocess.run(command, check=False).returncode == 0)
