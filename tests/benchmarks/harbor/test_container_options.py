"""What a task's container has: image, network, variables and health check, as the user allows.

Nothing is pulled, connected or passed on unless the user allows it, and the run says what a task
wants. An interrupted or killed run goes on in its container. If the container is lost, its calls
are repeated or its trial begins anew, as the user has chosen.
"""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.benchmarks.harbor.base_image import BASE_IMAGE, PROCESS_VARIABLES
from tests.benchmarks.harbor.container_runs import (
    TASKS,
    TIMEOUT_S,
    resume_last_run,
    run_tasks,
    write_task,
)
from tests.benchmarks.harbor.trial_containers import (
    container_states,
    wait_for_waiting_container,
)
from tests.support.command import (
    CommandResult,
    run_controlplane,
    start_controlplane,
    wait_for_exit,
    wait_until,
)

# Runs of a task whose agent runs shell commands in a container, and waits in one of them.
#
#     scripts = [shell("ls"), shell(WAIT), answer_with_output_of("cat /tmp/kept")]
#     run = start_run(task, scripts)  # waits in the second step until /tmp/go is made
#
# A script is the model's reply in one step.

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


# A container of a task has no network by default, and the run says which tasks want one.
#
# A task is played in a container of its own. The model "nothing" ends the trial at once, and then
# the verifier, a script in the container, gives the score.

default_network_pytestmark = [
    pytest.mark.second_tier,
    pytest.mark.usefixtures("podman"),
]


def test_the_network_is_off_by_default_and_the_run_says_how_many_tasks_want_one(
    tmp_path: Path,
) -> None:
    """This task says that it wants one; another that says nothing draws no notice.

    Its verifier gives the score 1 if there is only the loopback device, `lo`.
    """
    verifier = """
if [ "$(ls /sys/class/net)" = lo ]; then
    echo 1 >/logs/verifier/reward.txt
fi
"""
    toml = "[environment]\nallow_internet = true\n"
    write_task(tmp_path / "tasks/asks", verifier=verifier, toml=toml)
    write_task(tmp_path / "tasks/says-nothing", verifier=verifier)

    run = run_tasks(tmp_path / "tasks", "nothing", tmp_path)

    assert [trial["score"] for trial in run.json["trials"]] == [1.0, 1.0], run.json
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    text = journal.read_text()
    assert "off while agents work, but wanted by 1 task" in text
    assert "off while verifiers work, but wanted by 1 task" in text


# A container is used once its health check, a command of the task, succeeds.
#
# A task is played in a container of its own. Its file `task.toml` may have a command that succeeds
# once the container is ready, and that is repeated until then. The model "nothing" ends the trial
# at once; the verifier then gives the score 1.

health_checks_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def write_task_with_health_check(folder: Path, command: str) -> Path:
    """Write a task whose container is ready once this command succeeds, and return its folder.

    The command is repeated without a pause.
    """
    toml = f"""
[environment.healthcheck]
command = {json.dumps(command)}
interval_sec = 0
"""
    return write_task(folder, toml=toml)


def test_a_container_is_used_once_its_health_check_succeeds(tmp_path: Path) -> None:
    """The check fails the first time, because a file is missing, which it makes."""
    fails_the_first_time = "[ -e /tmp/first ] && exit 0; touch /tmp/first; exit 1"
    task = write_task_with_health_check(tmp_path / "task", fails_the_first_time)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json


def test_a_trial_fails_if_the_health_check_of_its_container_never_succeeds(
    tmp_path: Path,
) -> None:
    always_fails = "echo the service is down; exit 1"
    task = write_task_with_health_check(tmp_path / "task", always_fails)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["state"] == "failed"
    assert "the service is down" in run.json["trials"][0]["reason"]


# The image of a task's container: the files that it begins with.
#
# A task is played in a container of its own, by podman. It names the image in its file `task.toml`,
# or in a compose file. The model "nothing" ends the trial at once, and then the verifier, a script,
# gives the score.

images_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


def test_an_image_is_pulled_only_if_the_user_asks_for_it(tmp_path: Path) -> None:
    """The image is not on this machine, and cannot be pulled: nothing listens there."""
    toml = '[environment]\ndocker_image = "127.0.0.1:1/none:1"'
    task = write_task(tmp_path / "task", toml=toml)

    unasked = run_tasks(task, "nothing", tmp_path)
    asked = run_tasks(task, "nothing", tmp_path, "--set", "pull=true")

    assert "127.0.0.1:1/none:1 (--set pull=true pulls it)" in unasked.err
    assert unasked.code == 2
    assert "could not pull" in asked.json["trials"][0]["reason"]


def test_a_task_with_a_compose_file_has_its_image_and_variables(tmp_path: Path) -> None:
    """A compose file replaces the Dockerfile. The verifier tests the variable COLOUR."""
    verifier = '[ "$COLOUR" = green ] && echo 1 >/logs/verifier/reward.txt\n'
    task = write_task(tmp_path / "task", verifier=verifier)
    compose = f"services: {{main: {{image: '{BASE_IMAGE}', environment: {{COLOUR: green}}}}}}\n"
    (task / "environment/compose.yaml").write_text(compose)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json


def test_a_pull_is_told_and_a_build_pulls_nothing_unasked(tmp_path: Path) -> None:
    """The base image of the Dockerfile is on no machine: nothing listens at its registry."""
    task = write_task(tmp_path / "task")
    (task / "environment/Dockerfile").write_text("FROM 127.0.0.1:1/none:1\n")

    unasked = run_tasks(task, "nothing", tmp_path)
    assert "127.0.0.1:1/none:1 (--set pull=true pulls it)" in unasked.err

    asked = run_tasks(task, "nothing", tmp_path, "--set", "pull=true")
    assert "could not pull" in asked.json["trials"][0]["reason"]
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    assert "pulls the image 127.0.0.1:1/none:1" in journal.read_text()


def test_the_dockerfile_is_built_and_no_containerfile_beside_it(tmp_path: Path) -> None:
    """Podman would take the Containerfile, which nobody has checked."""
    task = write_task(tmp_path / "task")
    fetching = f"FROM {BASE_IMAGE}\nADD http://127.0.0.1:1/x /x\n"
    (task / "environment/Containerfile").write_text(fetching)

    run = run_tasks(task, "nothing", tmp_path)

    assert run.json["trials"][0]["score"] == 1.0, run.json
    (task / "environment/Dockerfile").write_text(fetching)
    refused = run_tasks(task, "nothing", tmp_path)
    assert "ADD http://127.0.0.1:1/x /x" in refused.err
    assert refused.code == 2


# The user allows a task's container a network, in each of three phases: build, agent, verifier.
#
# 1. While the image is built, a command writes "on" or "off" into the file /build-network.
# 2. The agent writes "on" or "off" into the file /tmp/agent-network.
# 3. The verifier, a script, prints both files, and whether it has a network itself. It leaves no
#    score, so that the trial's details show what it prints.

networks_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

PRINT_NETWORK = "if grep -q eth0 /proc/net/dev; then echo on; else echo off; fi"
"""A shell command that prints whether there is a network."""

VERIFIER = f"""
verifier=$({PRINT_NETWORK})
echo "build $(cat /build-network), agent $(cat /tmp/agent-network), verifier $verifier"
"""

REPLY_OF_THE_MODEL = f'''
[[reply]]
code = """
harness.shell("({PRINT_NETWORK}) >/tmp/agent-network")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
"""
'''


@pytest.mark.parametrize(
    ("option", "networks"),
    [
        ("network=off", "build off, agent off, verifier off"),
        ("network=task", "build on, agent on, verifier on"),
        ("verifier_network=task", "build off, agent off, verifier on"),
        ("agent_network=task", "build off, agent on, verifier off"),
        ("build_network=task", "build on, agent off, verifier off"),
    ],
)
def test_build_agent_and_verifier_have_the_networks_that_the_user_allows(
    tmp_path: Path, option: str, networks: str
) -> None:
    """The task wants a network in all phases: "task" allows that, and "off" allows none.

    Phases that an option does not name are off.
    """
    # The first line differs in each test: podman would take the second from its cache.
    dockerfile = f"ENV TEST={tmp_path}\nRUN ({PRINT_NETWORK}) >/build-network\n"
    task = write_task(tmp_path / "task", verifier=VERIFIER, dockerfile=dockerfile)
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLY_OF_THE_MODEL)

    run = run_tasks(task, f"scripted:{replies}", tmp_path, "--set", option)

    assert networks in run.json["trials"][0]["details"], run.out


# A task's container gets a variable of the user's environment only if the user allows it.
#
# The task asks for COLOUR, and for SIZE, which is "small" by default. The user has set both to
# other values, and has SECRET and HOME, for which the task does not ask. The verifier, a script in
# the container, prints all four: "task: green small, host: none /root", if COLOUR alone is allowed.

variables_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]

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


# Ctrl-C stops the container of a trial, and `resume` starts it again, with its files.
#
# 1. A shell command of the agent writes /tmp/kept in the container, and waits for the file /tmp/go.
# 2. Ctrl-C is pressed. Then /tmp/go is copied into the container.
# 3. The run is resumed. The command is made again, from its beginning, and ends, as /tmp/go is there.
#
# So the container is the same one. In a new container, the command would wait for ever.

ctrl_c_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


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


# A killed run leaves its container running, and `resume` goes on in it.
#
# 1. In step 1, the agent adds a line to a file, and starts a process in the background.
# 2. The run is killed in step 2, whose command waits until the file /tmp/go is made.
# 3. The run is resumed. Step 3 answers with the lines of the file and the number of processes.

killed_run_pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


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


pytestmark = [pytest.mark.second_tier, pytest.mark.usefixtures("podman")]


# A container may be lost with the run, and the user chooses what happens then.
#
# 1. In step 1, the agent adds a line to a file. The run is killed in step 2, whose command waits
#    until /tmp/go is made, and the container is removed.
# 2. The run is resumed in a new container. By `lost_container=repeat`, the calls of step 1
#    are made again, without the model; by `restart`, the trial begins anew.
# 3. Step 2 waits once more, and is let go on. Step 3 answers with the lines of the file: one.


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
