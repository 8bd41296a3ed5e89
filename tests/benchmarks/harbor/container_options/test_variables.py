"""A task's container gets a variable of the user's environment only if the user allows it.

The task asks for COLOUR, and for SIZE, which is "small" by default. The user has set both to
other values, and has SECRET and HOME, for which the task does not ask. The verifier, a script in
the container, prints all four: "task: green small, host: none /root", if COLOUR alone is allowed.
"""

from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import PROCESS_VARIABLES
from tests.benchmarks.harbor.container_runs import TIMEOUT_S, write_task
from tests.support.command import CommandResult, start_controlplane, wait_for_exit

pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

TASK_TOML = """
[environment.env]
COLOUR = "${COLOUR}"
SIZE = "${SIZE:-small}"
"""
PRINT_VARIABLES = 'echo "task: $COLOUR $SIZE, host: ${SECRET-none} ${HOME}"'
"""A verifier. It prints `none` if SECRET is not set."""
VARIABLES_OF_THE_USER = {
    "COLOUR": "green",
    "SIZE": "large",
    "SECRET": "x",
    "HOME": "/home/me",
}


def run_with_variables(folder: Path, *options: str) -> CommandResult:
    """Run the task with the user's variables and these options, and return how the run ended."""
    task = write_task(folder / "task", toml=TASK_TOML, verifier=PRINT_VARIABLES)
    words = ("run", "--benchmark", f"harbor:{task}", "--model", "nothing", "--json")
    variables = {**PROCESS_VARIABLES, **VARIABLES_OF_THE_USER}
    process = start_controlplane(*words, *options, cwd=folder, **variables)
    return wait_for_exit(process, within_s=TIMEOUT_S)


def test_a_task_that_needs_a_variable_of_the_user_says_how_to_allow_it(
    tmp_path: Path,
) -> None:
    """Without the variable COLOUR, which has no default, the task is not played."""
    refused = run_with_variables(tmp_path)

    assert "--set env=COLOUR" in refused.err


def test_only_the_variables_that_the_user_names_reach_a_task(tmp_path: Path) -> None:
    """SIZE has its default, and HOME is that of the container."""
    run = run_with_variables(tmp_path, "--set", "env=COLOUR")

    printed = "task: green small, host: none /root"
    assert printed in run.json["trials"][0]["details"]


TASK_WITH_VARIABLES_OF_PROGRAMS = """
[environment.env]
PATH = "/app/bin:/usr/bin:/bin"
HOME = "/app"
TMPDIR = "/nowhere"
XDG_RUNTIME_DIR = "/nowhere"
CONTAINERS_CONF = "/nowhere/containers.conf"
SPELLED = ' a="b" #c $HOME \\ '

[verifier.env]
LD_PRELOAD = "./x.so"
"""
PRINT_VARIABLES_OF_PROGRAMS = """
echo "<$HOME> <$PATH> <$TMPDIR> <$CONTAINERS_CONF> <$SPELLED> <$LD_PRELOAD>" 2>/dev/null
unset LD_PRELOAD
env | grep -ic proxy
"""


def test_variables_that_podman_itself_obeys_are_those_of_the_container_alone(
    tmp_path: Path,
) -> None:
    """The user has proxies, which podman passes to containers unless it is told not to."""
    task = write_task(
        tmp_path / "task",
        toml=TASK_WITH_VARIABLES_OF_PROGRAMS,
        verifier=PRINT_VARIABLES_OF_PROGRAMS,
    )
    proxies = {"http_proxy": "http://me:secret@proxy", "HTTPS_PROXY": "http://proxy"}
    words = ("run", "--benchmark", f"harbor:{task}", "--model", "nothing", "--json")
    process = start_controlplane(*words, cwd=tmp_path, **PROCESS_VARIABLES, **proxies)
    run = wait_for_exit(process, within_s=TIMEOUT_S)

    details = run.json["trials"][0]["details"]
    printed = (
        "</app> </app/bin:/usr/bin:/bin> </nowhere> </nowhere/containers.conf> "
        '< a="b" #c $HOME \\ > <./x.so>'
    )
    assert printed in details, run.out
    assert "0" in details
