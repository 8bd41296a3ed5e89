"""Options and interruptions of runs in containers: pulls, networks, health checks, Ctrl-C."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    TIMEOUT_S,
    missing_reason,
    played,
    resumed,
)
from tests.support.command import (
    CommandResult,
    run_controlplane,
    start_controlplane,
    wait_for_exit,
    wait_until,
)

pytestmark = pytest.mark.second_tier

FULL_REWARD = "echo 1 >/logs/verifier/reward.txt\n"


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


def written_task(folder: Path, toml: str = "", test: str = FULL_REWARD) -> Path:
    """Write a task on the base image whose verifier runs `test`, and return its folder."""
    (folder / "environment").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "environment/Dockerfile").write_text(f"FROM {BASE_IMAGE}\n")
    (folder / "tests/test.sh").write_text(test)
    (folder / "instruction.md").write_text("Do it.\n")
    (folder / "task.toml").write_text(toml)
    return folder


def played_alone(task: Path, *arguments: str) -> CommandResult:
    return played(task, "nothing", task.parent, *arguments)


def test_an_image_is_pulled_only_if_the_user_says_so(tmp_path: Path) -> None:
    # Nothing listens on port 1 of this machine.
    task = written_task(
        tmp_path / "task", '[environment]\ndocker_image = "127.0.0.1:1/none:1"'
    )

    unasked = played_alone(task)
    asked = played_alone(task, "--set", "pull=true")

    assert "--set pull=true" in unasked.json["trials"][0]["reason"]
    assert "could not pull" in asked.json["trials"][0]["reason"]


def test_the_network_is_off_and_the_start_counts_who_wants_one(tmp_path: Path) -> None:
    test = (
        'if [ "$(ls /sys/class/net)" = lo ]; then echo 1 >/logs/verifier/reward.txt; fi'
    )
    task = written_task(tmp_path / "task", test=test)

    run = played_alone(task)

    assert run.json["trials"][0]["score"] == 1.0, run.json
    (journal_path,) = (tmp_path / "runs").glob("*.jsonl")
    journal = journal_path.read_text()
    assert "off while agents work, but wanted by 1 task" in journal
    assert (
        "off while verifiers run, which may then leave no reward, but wanted by 1 task"
        in journal
    )


def test_a_container_is_used_once_it_is_healthy(tmp_path: Path) -> None:
    command = "[ -e /tmp/first ] && exit 0; touch /tmp/first; exit 1"
    toml = (
        f"[environment.healthcheck]\ncommand = {json.dumps(command)}\ninterval_sec = 0"
    )

    run = played_alone(written_task(tmp_path / "task", toml))

    assert run.json["trials"][0]["score"] == 1.0, run.json


def test_a_container_that_stays_unhealthy_costs_its_trial(tmp_path: Path) -> None:
    command = "echo the service is down; exit 1"
    toml = (
        f"[environment.healthcheck]\ncommand = {json.dumps(command)}\ninterval_sec = 0"
    )

    run = played_alone(written_task(tmp_path / "task", toml))

    assert run.json["trials"][0]["state"] == "failed"
    assert "the service is down" in run.json["trials"][0]["reason"]


def test_a_compose_file_of_one_service_plays_with_its_variables(tmp_path: Path) -> None:
    test = '[ "$COLOUR" = green ] && echo 1 >/logs/verifier/reward.txt\n'
    task = written_task(tmp_path / "task", test=test)
    compose = f"services: {{main: {{image: '{BASE_IMAGE}', environment: {{COLOUR: green}}}}}}\n"
    (task / "environment/compose.yaml").write_text(compose)

    run = played_alone(task)

    assert run.json["trials"][0]["score"] == 1.0, run.json


REPLIES = '''
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


def states_of_containers(task_id: str) -> dict[str, str]:
    """Return the state of each container of a task's trials, by its name."""
    command = ["podman", "ps", "--all", "--format", "json"]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    states = {}
    for container in json.loads(listing):
        trial_id = (container["Labels"] or {}).get("controlplane.trial", "")
        if task_id in trial_id:
            states[container["Names"][0]] = container["State"]
    return states


def waiting_container(task_id: str) -> str:
    """Return the name of the task's container, once a command in it has made `/tmp/waiting`."""
    waiting_names: list[str] = []

    def is_waiting() -> bool:
        # Each look takes locks that the container's other commands wait for.
        time.sleep(1)
        for name in states_of_containers(task_id):
            command = ["podman", "exec", name, "test", "-e", "/tmp/waiting"]
            if (
                subprocess.run(command, check=False, capture_output=True).returncode
                == 0
            ):
                waiting_names.append(name)
        return bool(waiting_names)

    wait_until(is_waiting, within_s=300)
    return waiting_names[0]


def test_ctrl_c_stops_the_container_and_resume_starts_it_with_its_files(
    tmp_path: Path,
) -> None:
    task = written_task(tmp_path / "interrupted-task")
    replies = tmp_path / "replies.toml"
    replies.write_text(REPLIES)
    arguments = ("--benchmark", f"harbor:{task}", "--model", f"scripted:{replies}")
    run = start_controlplane("run", *arguments, cwd=tmp_path, **PROCESS_VARIABLES)

    name = waiting_container(task.name)
    run.send_signal(signal.SIGINT)
    run.communicate()
    # On a busy machine podman may record only later that the container has ended.
    wait_until(lambda: states_of_containers(task.name) == {name: "exited"}, within_s=60)
    go = tmp_path / "go"
    go.touch()
    subprocess.run(["podman", "cp", str(go), f"{name}:/tmp/go"], check=True)
    result = resumed(tmp_path)

    trial = result.json["trials"][0]

    assert (trial["score"], trial["answer"]) == (1.0, "kept\n"), result.err
    assert states_of_containers(task.name) == {}


@pytest.mark.parametrize(("choice", "replies_in_all"), [("repeat", 3), ("restart", 5)])
def test_a_lost_container_costs_its_calls_or_the_whole_trial_as_the_user_says(
    tmp_path: Path, choice: str, replies_in_all: int
) -> None:
    task = written_task(tmp_path / f"lost-{choice}")
    replies = tmp_path / "replies.toml"
    replies.write_text(
        '''
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
    )
    arguments = ("--benchmark", f"harbor:{task}", "--model", f"scripted:{replies}")
    run = start_controlplane(
        "run",
        *arguments,
        "--set",
        f"lost_container={choice}",
        cwd=tmp_path,
        **PROCESS_VARIABLES,
    )
    lost_name = waiting_container(task.name)
    run.send_signal(signal.SIGKILL)
    run.communicate()
    subprocess.run(
        ["podman", "rm", "--force", lost_name], check=True, capture_output=True
    )

    resumption = start_controlplane(
        "resume", "last", "--json", cwd=tmp_path, **PROCESS_VARIABLES
    )
    subprocess.run(
        ["podman", "exec", waiting_container(task.name), "touch", "/tmp/go"], check=True
    )
    output, errors = resumption.communicate()

    trial = json.loads(output)["trials"][0]

    assert (trial["score"], trial["answer"]) == (1.0, "first\n"), errors
    (journal_path,) = (tmp_path / "runs").glob("*.jsonl")
    assert journal_path.read_text().count('"type":"model_replied"') == replies_in_all
    replay = run_controlplane("replay", "last", "--verify", cwd=tmp_path)
    assert replay.code == 0, replay.err


SAY_NETWORK = "if grep -q eth0 /proc/net/dev; then echo on; else echo off; fi"
NETWORK_REPORT = f"""
verifier=$({SAY_NETWORK})
echo "build $(cat /build-network), agent $(cat /tmp/agent-network), verifier $verifier"
"""
"""A verifier that leaves no reward, so that its run shows what it prints."""
LOOK_AT_NETWORK = f'''
[[reply]]
code = """
harness.shell("({SAY_NETWORK}) >/tmp/agent-network")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
"""
'''


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("network=off", "build off, agent off, verifier off"),
        ("network=task", "build on, agent on, verifier on"),
        ("verifier_network=task", "build off, agent off, verifier on"),
        ("agent_network=task", "build off, agent on, verifier off"),
        ("build_network=task", "build on, agent off, verifier off"),
    ],
)
def test_build_agent_and_verifier_have_the_networks_that_the_user_allows(
    tmp_path: Path, option: str, expected: str
) -> None:
    task = written_task(tmp_path / "task", test=NETWORK_REPORT)
    # Without a line of its own, the layer of another test would be taken from podman's cache.
    dockerfile = (
        f"FROM {BASE_IMAGE}\nENV TEST={tmp_path}\nRUN ({SAY_NETWORK}) >/build-network\n"
    )
    (task / "environment/Dockerfile").write_text(dockerfile)
    replies = tmp_path / "replies.toml"
    replies.write_text(LOOK_AT_NETWORK)

    run = played(task, f"scripted:{replies}", tmp_path, "--set", option)

    assert expected in run.json["trials"][0]["details"], run.out


def test_only_variables_that_the_user_names_reach_a_task(tmp_path: Path) -> None:
    toml = '[environment.env]\nCOLOUR = "${COLOUR}"\nSIZE = "${SIZE:-small}"'
    test = 'echo "task: $COLOUR $SIZE, host: ${SECRET-none} ${HOME}"'
    task = written_task(tmp_path / "task", toml, test)
    variables = {
        **PROCESS_VARIABLES,
        "COLOUR": "green",
        "SIZE": "large",
        "SECRET": "x",
        "HOME": "/home/me",
    }
    words = ("run", "--benchmark", f"harbor:{task}", "--model", "nothing", "--json")

    refused = wait_for_exit(
        start_controlplane(*words, cwd=tmp_path, **variables), within_s=TIMEOUT_S
    )
    allowed = wait_for_exit(
        start_controlplane(*words, "--set", "env=COLOUR", cwd=tmp_path, **variables),
        within_s=TIMEOUT_S,
    )

    assert "--set env=COLOUR" in refused.err
    assert "task: green small, host: none /root" in allowed.json["trials"][0]["details"]
