"""Options and interruptions of tasks that are played in containers, with podman.

A task in Harbor's format is played in a container of its own. The user decides whether images are
pulled and which phases have a network. A run may be interrupted: its containers stay, and `resume`
goes on in them.
"""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from controlplane.errors import Interrupted
from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    TIMEOUT_S,
    container_states,
    missing_reason,
    resume_last_run,
    run_tasks,
    wait_for_waiting_container,
    write_task,
)
from tests.support.command import (
    CommandResult,
    run_controlplane,
    start_controlplane,
    wait_for_exit,
    wait_until,
)

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    """Skip the tests where no container can be run."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


def run_without_agent(task: Path, *options: str) -> CommandResult:
    """Run a task with a model that does nothing; its verifier runs all the same."""
    return run_tasks(task, "nothing", task.parent, *options)


NOTHING_LISTENS = "127.0.0.1:1"
"""An address of this machine, in place of a registry of images."""


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param((), "--set pull=true", id="not asked for"),
        pytest.param(("--set", "pull=true"), "could not pull", id="asked for"),
    ],
)
def test_an_image_is_pulled_only_if_the_user_asks_for_it(
    options: tuple[str, ...], reason: str, tmp_path: Path
) -> None:
    """The reason why the trial cannot start shows whether podman tried to pull the image."""
    toml = f'[environment]\ndocker_image = "{NOTHING_LISTENS}/none:1"'
    task = write_task(tmp_path / "task", toml=toml)

    run = run_without_agent(task, *options)

    assert reason in run.json["trials"][0]["reason"]


REWARD_WITHOUT_NETWORK = """
if [ "$(ls /sys/class/net)" = lo ]; then
    echo 1 >/logs/verifier/reward.txt
fi
"""
"""A verifier that gives the score 1 if only the loopback device is there."""


def test_the_network_is_off_and_the_run_says_how_many_tasks_want_one(
    tmp_path: Path,
) -> None:
    """A task wants a network unless it says otherwise."""
    task = write_task(tmp_path / "task", verifier=REWARD_WITHOUT_NETWORK)

    run = run_without_agent(task)

    assert run.json["trials"][0]["score"] == 1.0, run.json
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    text = journal.read_text()
    assert "off while agents work, but wanted by 1 task" in text
    message = (
        "off while verifiers run, which may then leave no reward, but wanted by 1 task"
    )
    assert message in text


def health_check(command: str) -> str:
    """Return the text of a task.toml with a command that succeeds once the container can be
    used. It is repeated without a pause."""
    return (
        f"[environment.healthcheck]\ncommand = {json.dumps(command)}\ninterval_sec = 0"
    )


def test_a_container_is_used_once_its_health_check_succeeds(tmp_path: Path) -> None:
    """The check, a command in the container, fails at first and is repeated."""
    fails_the_first_time = "[ -e /tmp/first ] && exit 0; touch /tmp/first; exit 1"
    toml = health_check(fails_the_first_time)

    run = run_without_agent(write_task(tmp_path / "task", toml=toml))

    assert run.json["trials"][0]["score"] == 1.0, run.json


def test_a_trial_fails_if_the_health_check_of_its_container_never_succeeds(
    tmp_path: Path,
) -> None:
    """The trial has what the check printed as its reason."""
    toml = health_check("echo the service is down; exit 1")

    run = run_without_agent(write_task(tmp_path / "task", toml=toml))

    assert run.json["trials"][0]["state"] == "failed"
    assert "the service is down" in run.json["trials"][0]["reason"]


def test_a_task_with_a_compose_file_has_its_image_and_variables(
    tmp_path: Path,
) -> None:
    """A compose file takes the place of the Dockerfile. The verifier looks at the variable."""
    verifier = '[ "$COLOUR" = green ] && echo 1 >/logs/verifier/reward.txt\n'
    task = write_task(tmp_path / "task", verifier=verifier)
    compose = f"services: {{main: {{image: '{BASE_IMAGE}', environment: {{COLOUR: green}}}}}}\n"
    (task / "environment/compose.yaml").write_text(compose)

    run = run_without_agent(task)

    assert run.json["trials"][0]["score"] == 1.0, run.json


WRITE_FILE_AND_WAIT = '''
[[reply]]
code = """
harness.shell("echo kept >/tmp/kept; touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done")
"""

[[reply]]
code = """
scratchpad["answer"] = harness.shell("cat /tmp/kept").stdout
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: bool(sp["answer"]))
"""
'''
"""The replies of a model. The first command in the container writes a file, makes /tmp/waiting, and
waits for /tmp/go, so that the test can interrupt it. The answer is the text of the file."""


def start_run(task: Path, replies: str, *options: str) -> subprocess.Popen[str]:
    """Start a run of a task with a model that gives these replies."""
    path = task.parent / "replies.toml"
    path.write_text(replies)
    words = ("run", "--benchmark", f"harbor:{task}", "--model", f"scripted:{path}")
    return start_controlplane(*words, *options, cwd=task.parent, **PROCESS_VARIABLES)


def test_ctrl_c_stops_the_container_and_resume_starts_it_with_its_files(
    tmp_path: Path,
) -> None:
    """Wait until the command waits, press Ctrl-C, let the command go on, and resume."""
    task = write_task(tmp_path / "interrupted-task")
    run = start_run(task, WRITE_FILE_AND_WAIT)
    name = wait_for_waiting_container(task.name)
    run.send_signal(signal.SIGINT)
    run.communicate()
    # On a busy machine podman may record only later that the container has ended.
    wait_until(lambda: container_states(task.name) == {name: "exited"})
    go = tmp_path / "go"
    go.touch()
    subprocess.run(["podman", "cp", str(go), f"{name}:/tmp/go"], check=True)

    resumed = resume_last_run(tmp_path)

    assert run.returncode == Interrupted.exit_code
    (trial,) = resumed.json["trials"]
    assert trial["score"] == 1.0, resumed.err
    assert trial["answer"] == "kept\n"
    assert container_states(task.name) == {}


WRITE_FILE_THEN_WAIT = '''
[[reply]]
code = """
harness.shell("echo first >>/tmp/made")
"""

[[reply]]
code = """
harness.shell("touch /tmp/waiting; while [ ! -e /tmp/go ]; do sleep 0.1; done")
"""

[[reply]]
code = """
scratchpad["answer"] = harness.shell("cat /tmp/made").stdout
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: bool(sp["answer"]))
"""
'''
"""Like `WRITE_FILE_AND_WAIT`, but the file is written in a step of its own, before the one that
waits. It has a line for each time."""


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
    """Wait until step 2 waits, kill the run, remove its container, and resume. In the new
    container step 2 waits again, until the test lets it go on."""
    task = write_task(tmp_path / f"lost-{lost_container}")
    run = start_run(
        task, WRITE_FILE_THEN_WAIT, "--set", f"lost_container={lost_container}"
    )
    lost_name = wait_for_waiting_container(task.name)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    subprocess.run(
        ["podman", "rm", "--force", lost_name], check=True, capture_output=True
    )

    resumption = start_controlplane(
        "resume", "last", "--json", cwd=tmp_path, **PROCESS_VARIABLES
    )
    new_name = wait_for_waiting_container(task.name)
    subprocess.run(["podman", "exec", new_name, "touch", "/tmp/go"], check=True)
    output, errors = resumption.communicate()

    (trial,) = json.loads(output)["trials"]
    assert trial["score"] == 1.0, errors
    assert trial["answer"] == "first\n"
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    replies = journal.read_text().count('"type":"model_replied"')
    assert replies == replies_in_journal
    replayed = run_controlplane("replay", "last", "--verify", cwd=tmp_path)
    assert replayed.code == 0, replayed.err


PRINT_NETWORK = "if grep -q eth0 /proc/net/dev; then echo on; else echo off; fi"
"""A shell command that prints whether there is a network."""
VERIFIER_THAT_PRINTS_NETWORKS = f"""
verifier=$({PRINT_NETWORK})
echo "build $(cat /build-network), agent $(cat /tmp/agent-network), verifier $verifier"
"""
"""A verifier that leaves no reward, so that its trial shows what it prints."""
NOTE_NETWORK_OF_AGENT = f'''
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
    """The task wants a network in all phases; "task" allows what the task wants."""
    # The first line differs in each test: podman would take the second from its cache.
    dockerfile = f"ENV TEST={tmp_path}\nRUN ({PRINT_NETWORK}) >/build-network\n"
    task = write_task(
        tmp_path / "task", verifier=VERIFIER_THAT_PRINTS_NETWORKS, dockerfile=dockerfile
    )
    replies = tmp_path / "replies.toml"
    replies.write_text(NOTE_NETWORK_OF_AGENT)

    run = run_tasks(task, f"scripted:{replies}", tmp_path, "--set", option)

    assert networks in run.json["trials"][0]["details"], run.out


TOML_WITH_VARIABLES = """
[environment.env]
COLOUR = "${COLOUR}"
SIZE = "${SIZE:-small}"
"""
"""The task asks for two variables of the user's; one of them has a default."""


def run_with_variables(folder: Path, *options: str) -> CommandResult:
    """Run a task with `TOML_WITH_VARIABLES`, whose verifier prints variables. The user has set
    four."""
    task = write_task(
        folder / "task",
        toml=TOML_WITH_VARIABLES,
        verifier='echo "task: $COLOUR $SIZE, host: ${SECRET-none} ${HOME}"',
    )
    words = ("run", "--benchmark", f"harbor:{task}", "--model", "nothing", "--json")
    variables = {
        **PROCESS_VARIABLES,
        "COLOUR": "green",
        "SIZE": "large",
        "SECRET": "x",
        "HOME": "/home/me",
    }
    process = start_controlplane(*words, *options, cwd=folder, **variables)
    return wait_for_exit(process, within_s=TIMEOUT_S)


def test_a_task_that_needs_a_variable_of_the_user_says_how_to_allow_it(
    tmp_path: Path,
) -> None:
    """The task asks for COLOUR, which has no default."""
    refused = run_with_variables(tmp_path)

    assert "--set env=COLOUR" in refused.err


def test_only_the_variables_that_the_user_names_reach_a_task(tmp_path: Path) -> None:
    """SIZE has its default, and the home folder is that of the container."""
    run = run_with_variables(tmp_path, "--set", "env=COLOUR")

    expected = "task: green small, host: none /root"
    assert expected in run.json["trials"][0]["details"]
