"""Options of tasks that are played in containers, with podman.

A task in Harbor's format is played in a container of its own. Its `task.toml` says what it needs: an
image, a network, variables of the user. The user allows it by options, such as
`--set agent_network=task`.
"""

import json
from pathlib import Path

import pytest

from tests.benchmarks.harbor.base_image import (
    BASE_IMAGE,
    PROCESS_VARIABLES,
    missing_reason,
)
from tests.benchmarks.harbor.container_runs import TIMEOUT_S, run_tasks, write_task
from tests.support.command import CommandResult, start_controlplane, wait_for_exit

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module", autouse=True)
def containers() -> None:
    """Skip the tests where no container can be run."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)


def run_without_agent(task: Path, *options: str) -> CommandResult:
    """Run a task with a model that does nothing. Its verifier still gives a score."""
    return run_tasks(task, "nothing", task.parent, *options)


class TestImages:
    """The container of a task has the image that the task names, or its compose file.

    `run_without_agent` runs a task with a model that does nothing. Its verifier, a
    script, still gives a score.
    """

    @pytest.mark.parametrize(
        ("options", "reason"),
        [
            pytest.param((), "--set pull=true", id="not asked for"),
            pytest.param(("--set", "pull=true"), "could not pull", id="asked for"),
        ],
    )
    def test_an_image_is_pulled_only_if_the_user_asks_for_it(
        self, options: tuple[str, ...], reason: str, tmp_path: Path
    ) -> None:
        """The image is not there. The reason of the trial shows whether a pull was tried."""
        # An address in place of a registry of images, from which nothing can be pulled.
        nothing_listens = "127.0.0.1:1"
        toml = f'[environment]\ndocker_image = "{nothing_listens}/none:1"'
        task = write_task(tmp_path / "task", toml=toml)

        run = run_without_agent(task, *options)

        assert reason in run.json["trials"][0]["reason"]

    def test_a_task_with_a_compose_file_has_its_image_and_variables(
        self, tmp_path: Path
    ) -> None:
        """A compose file replaces the Dockerfile. The verifier tests the variable COLOUR."""
        verifier = '[ "$COLOUR" = green ] && echo 1 >/logs/verifier/reward.txt\n'
        task = write_task(tmp_path / "task", verifier=verifier)
        compose = f"services: {{main: {{image: '{BASE_IMAGE}', environment: {{COLOUR: green}}}}}}\n"
        (task / "environment/compose.yaml").write_text(compose)

        run = run_without_agent(task)

        assert run.json["trials"][0]["score"] == 1.0, run.json


REWARD_WITHOUT_NETWORK = """
if [ "$(ls /sys/class/net)" = lo ]; then
    echo 1 >/logs/verifier/reward.txt
fi
"""
"""A verifier that gives the score 1 if there is no network, but only the loopback device `lo`."""


PRINT_NETWORK = "if grep -q eth0 /proc/net/dev; then echo on; else echo off; fi"
"""A shell command that prints whether there is a network."""
VERIFIER_THAT_PRINTS_NETWORKS = f"""
verifier=$({PRINT_NETWORK})
echo "build $(cat /build-network), agent $(cat /tmp/agent-network), verifier $verifier"
"""
"""A verifier that leaves no reward, so that its trial shows what it prints."""
REPLIES_THAT_NOTE_NETWORK = f'''
[[reply]]
code = """
harness.shell("({PRINT_NETWORK}) >/tmp/agent-network")
scratchpad["answer"] = "done"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "done")
"""
'''
"""The model's reply: the agent writes down whether it has a network, for the verifier to print."""


class TestNetworks:
    """A task has a network only if it wants one, and the user allows it.

    Its image is built, the agent works, and the verifier runs: three phases, each
    with a network or without.

    1. While the image is built, a command writes "on" or "off" into the file /build-network.
    2. The agent writes "on" or "off" into the file /tmp/agent-network.
    3. The verifier prints both files, and whether it has a network itself.
    """

    def test_the_network_is_off_by_default_and_the_run_says_how_many_tasks_want_one(
        self, tmp_path: Path
    ) -> None:
        """This task wants a network, since it does not say otherwise."""
        task = write_task(tmp_path / "task", verifier=REWARD_WITHOUT_NETWORK)

        run = run_without_agent(task)

        assert run.json["trials"][0]["score"] == 1.0, run.json
        (journal,) = (tmp_path / "runs").glob("*.jsonl")
        text = journal.read_text()
        assert "off while agents work, but wanted by 1 task" in text
        message = "off while verifiers run, which may then leave no reward, but wanted by 1 task"
        assert message in text

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
        self, tmp_path: Path, option: str, networks: str
    ) -> None:
        """The task wants a network in all phases: "task" allows that, and "off" allows none.

        Phases that an option does not name are off.
        """
        # The first line differs in each test: podman would take the second from its cache.
        dockerfile = f"ENV TEST={tmp_path}\nRUN ({PRINT_NETWORK}) >/build-network\n"
        task = write_task(
            tmp_path / "task",
            verifier=VERIFIER_THAT_PRINTS_NETWORKS,
            dockerfile=dockerfile,
        )
        replies = tmp_path / "replies.toml"
        replies.write_text(REPLIES_THAT_NOTE_NETWORK)

        run = run_tasks(task, f"scripted:{replies}", tmp_path, "--set", option)

        assert networks in run.json["trials"][0]["details"], run.out


def health_check(command: str) -> str:
    """Return a task.toml with a health check: a command that succeeds once the container is ready.

    It is repeated without a pause.
    """
    return (
        f"[environment.healthcheck]\ncommand = {json.dumps(command)}\ninterval_sec = 0"
    )


class TestHealthChecks:
    """A container is used once its health check, a command of the task, succeeds."""

    def test_a_container_is_used_once_its_health_check_succeeds(
        self, tmp_path: Path
    ) -> None:
        """The check fails the first time, because a file is missing, which it makes."""
        fails_the_first_time = "[ -e /tmp/first ] && exit 0; touch /tmp/first; exit 1"
        toml = health_check(fails_the_first_time)

        run = run_without_agent(write_task(tmp_path / "task", toml=toml))

        assert run.json["trials"][0]["score"] == 1.0, run.json

    def test_a_trial_fails_if_the_health_check_of_its_container_never_succeeds(
        self, tmp_path: Path
    ) -> None:
        """The reason of the trial is what the check printed."""
        toml = health_check("echo the service is down; exit 1")

        run = run_without_agent(write_task(tmp_path / "task", toml=toml))

        assert run.json["trials"][0]["state"] == "failed"
        assert "the service is down" in run.json["trials"][0]["reason"]


TOML_WITH_VARIABLES = """
[environment.env]
COLOUR = "${COLOUR}"
SIZE = "${SIZE:-small}"
"""
"""A task that asks for two variables of the user's. SIZE has a default, and COLOUR has none."""


def run_with_variables(folder: Path, *options: str) -> CommandResult:
    """Run the task with `TOML_WITH_VARIABLES`. Its verifier prints four variables.

    The user has set all four: COLOUR, SIZE, and two for which the task does not ask. The verifier
    prints `none` if SECRET is not set.
    """
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


class TestVariables:
    """A task asks for two variables of the user's, COLOUR and SIZE. SIZE has a default.

    The user has set both, and SECRET and HOME, for which the task does not ask. The verifier prints
    all four: "task: green large, host: none /root", with `none` if SECRET is not set.
    """

    def test_a_task_that_needs_a_variable_of_the_user_says_how_to_allow_it(
        self, tmp_path: Path
    ) -> None:
        """Without the variable COLOUR, which has no default, the task is not played."""
        refused = run_with_variables(tmp_path)

        assert "--set env=COLOUR" in refused.err

    def test_only_the_variables_that_the_user_names_reach_a_task(
        self, tmp_path: Path
    ) -> None:
        """The user names COLOUR. SIZE has its default, and HOME is that of the container."""
        run = run_with_variables(tmp_path, "--set", "env=COLOUR")

        printed = "task: green small, host: none /root"
        assert printed in run.json["trials"][0]["details"]
