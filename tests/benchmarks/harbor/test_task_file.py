"""Reads tasks in Harbor's format, a public format for tasks that are played in a container.

A task is a folder with `task.toml`, `instruction.md`, `environment/Dockerfile` and `tests/test.sh`,
the verifier, which leaves the reward, the task's score, in a file. The tests show which spellings
are understood, and that a task that needs more than this product offers is refused by name.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.benchmarks.containers.host_variables import with_host_variables
from controlplane.benchmarks.harbor.reward import reward_of
from controlplane.benchmarks.harbor.tasks.harbor_task import HarborTask
from controlplane.benchmarks.harbor.tasks.size_text import megabytes
from controlplane.benchmarks.harbor.tasks.task_folder import (
    TaskFileError,
    read_task,
    read_tasks,
)
from controlplane.benchmarks.harbor.tasks.unsupported_features import (
    unsupported_feature,
)


def write_and_read_task(folder: Path, toml: str) -> HarborTask:
    """Write a task whose task.toml has this text, and return the task as it is read."""
    (folder / "environment").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "environment/Dockerfile").write_text("FROM base\n")
    (folder / "tests/test.sh").write_text("exit 0\n")
    (folder / "instruction.md").write_text("Do it.\n")
    (folder / "task.toml").write_text(toml)
    return read_task(folder, folder.name)


TASK_IN_OLD_SPELLINGS = """
version = "1.0"

[environment]
memory = "2G"
storage = "10 GB"
allow_internet = false
"""
TASK_IN_NEW_SPELLINGS = """
[environment]
memory_mb = 2048
storage_mb = 10240
network_mode = "no-network"
"""


@pytest.mark.parametrize(
    "toml",
    [
        pytest.param(TASK_IN_OLD_SPELLINGS, id="old spellings"),
        pytest.param(TASK_IN_NEW_SPELLINGS, id="new spellings"),
    ],
)
def test_old_and_new_spellings_of_limits_mean_the_same(
    toml: str, tmp_path: Path
) -> None:
    """Older versions of the format wrote sizes with units, and another key for the network."""
    task = write_and_read_task(tmp_path / "task", toml)

    assert task.memory_mb == 2048
    assert task.storage_mb == 10240
    assert task.file.agent_network == "no-network"


def test_the_verifier_may_have_another_network_than_the_agent(tmp_path: Path) -> None:
    """The key `network_mode` of `[environment]` holds for the agent and the verifier, unless the table
    of one of them has it, too."""
    toml = """
[environment]
network_mode = "no-network"

[verifier]
network_mode = "public"
"""
    task = write_and_read_task(tmp_path / "task", toml)

    assert task.file.agent_network == "no-network"
    assert task.file.verifier_network == "public"


@pytest.mark.parametrize(
    ("toml", "message_part"),
    [
        pytest.param('[[steps]]\nname = "first"', "several steps", id="steps"),
        pytest.param(
            '[verifier]\nenvironment_mode = "separate"',
            "separate environment",
            id="a container of its own for the verifier",
        ),
        pytest.param(
            '[agent]\nnetwork_mode = "allowlist"',
            "list of hosts",
            id="a network with some hosts only",
        ),
        pytest.param("[environment]\ngpus = 1", "GPUs", id="a graphics card"),
        pytest.param(
            '[[environment.mcp_servers]]\nname = "notes"', "MCP", id="an MCP server"
        ),
        pytest.param('[environment]\nos = "windows"', "windows", id="Windows"),
    ],
)
def test_a_task_with_an_unsupported_feature_is_refused_and_others_are_read(
    tmp_path: Path, toml: str, message_part: str
) -> None:
    """A folder of two tasks: one can be played, and the other needs a feature of Harbor's."""
    write_and_read_task(tmp_path / "special", toml)
    write_and_read_task(tmp_path / "plain", "")

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["plain"]
    assert message_part in folder.refusals["special"]


def write_and_read_task_with_compose_file(folder: Path, compose: str) -> HarborTask:
    """Write a task with a compose file, and return the task as it is read.

    A compose file describes the task's containers, its services; it takes the place of the
    Dockerfile.
    """
    task = write_and_read_task(folder, toml="")
    (task.environment_folder / "docker-compose.yaml").write_text(compose)
    return read_task(folder, folder.name)


COMPOSE_FILE_OF_ONE_SERVICE = """
services:
  main:
    image: debian:bookworm
    working_dir: /app
    environment: [COLOUR=green, HOST_KEY]
    command: sleep infinity
    mem_limit: 1g
    cpus: 2
    network_mode: none
"""


def test_a_compose_file_of_one_service_gives_image_variables_and_limits(
    tmp_path: Path,
) -> None:
    """A variable without a value, as HOST_KEY, has that of the host."""
    task = write_and_read_task_with_compose_file(
        tmp_path / "task", COMPOSE_FILE_OF_ONE_SERVICE
    )

    assert unsupported_feature(task) == ""
    assert task.docker_image == "debian:bookworm"
    assert task.workdir == "/app"
    assert task.cpus == 2.0
    assert task.variables == {"COLOUR": "green", "HOST_KEY": "${HOST_KEY}"}
    assert not task.wants_network("agent")


def test_a_compose_file_may_build_the_folder_of_the_task(tmp_path: Path) -> None:
    """The service's `image` is only the name of what is built then."""
    compose = (
        "services: {main: {build: {context: ., dockerfile: Dockerfile}, image: named}}"
    )
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert task.docker_image == ""
    assert task.build_folder == task.environment_folder


@pytest.mark.parametrize(
    ("compose", "message_part"),
    [
        pytest.param("services: {}", "0 services", id="no container"),
        pytest.param(
            "services: {main: {build: .}, store: {image: redis}}",
            "2 services",
            id="two containers",
        ),
        pytest.param(
            "services: {main: {build: ., volumes: [/:/host]}}",
            "volumes",
            id="files of the host",
        ),
        pytest.param(
            "services: {main: {build: ., privileged: true}}",
            "privileged",
            id="rights on the host",
        ),
        pytest.param(
            "services: {main: {build: ., network_mode: host}}",
            "network_mode",
            id="the network of the host",
        ),
        pytest.param(
            "services: {main: {build: ../../..}}",
            "outside",
            id="an image of a folder outside the task",
        ),
        pytest.param(
            "services: {main: {build: {context: ., secrets: [key]}}}",
            "build has secrets",
            id="an image built with secrets",
        ),
        pytest.param(
            "services: {main: {command: sleep}}", "neither build", id="no image"
        ),
        pytest.param(
            "services: {main: {build: .}}\nvolumes: {data: {}}",
            "volumes",
            id="shared folders",
        ),
        pytest.param("services: [", "cannot be read", id="a syntax error"),
        pytest.param("[]", "no services", id="a list"),
    ],
)
def test_an_unsupported_part_of_a_compose_file_is_named(
    tmp_path: Path, compose: str, message_part: str
) -> None:
    """Some would give the container rights on the host: its files, devices or network."""
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert message_part in unsupported_feature(task)


@pytest.mark.parametrize(
    "toml",
    [
        pytest.param("[agent]\ntimeout_sec = -1", id="negative time"),
        pytest.param('[environment]\nmemory = "much"', id="not a size"),
        pytest.param("[agent", id="syntax error"),
    ],
)
def test_an_error_in_task_toml_names_the_file(tmp_path: Path, toml: str) -> None:
    """Times are numbers of seconds, and sizes have a unit: `2G`."""
    with pytest.raises(TaskFileError, match=r"task\.toml"):
        write_and_read_task(tmp_path / "task", toml)


@pytest.mark.parametrize(
    ("text", "expected_megabytes"),
    [("512M", 512), ("4Gi", 4096), ("1.5 GB", 1536), ("", 0)],
)
def test_sizes_are_read_with_their_units(text: str, expected_megabytes: int) -> None:
    """G, Gi and GB all mean 1024 MB."""
    assert megabytes(text) == expected_megabytes


def test_only_host_variables_that_the_user_allows_are_filled_in() -> None:
    """A task asks for variables of the host by `${NAME}`, or `${NAME:-default}`. The user allows
    KEY alone, and gives its value."""
    requested = {"KEY": "${KEY}", "REGION": "in ${REGION:-eu}", "HOME": "${HOME}"}

    filled = with_host_variables(requested, {"KEY": "k1"})

    assert filled.values == {"KEY": "k1", "REGION": "in eu", "HOME": ""}
    assert filled.missing == ["HOME"]


class Reward(NamedTuple):
    """The files that a verifier leaves in a container, and what is read from them."""

    score: float
    metrics: dict[str, float]
    """Further numbers, which a report shows beside the score."""
    reward_text: bytes | None = None
    """The content of `reward.txt`; None if there is no such file."""
    reward_json: bytes | None = None
    """The content of `reward.json`; None if there is no such file."""
    chosen_key: str = ""
    """The key of `reward.json` that the user has named for the score."""


@pytest.mark.parametrize(
    "reward",
    [
        pytest.param(
            Reward(score=1.0, metrics={}, reward_text=b"1\n"),
            id="a number in reward.txt",
        ),
        pytest.param(
            Reward(
                score=0.5,
                metrics={"style": 1.0},
                reward_json=b'{"reward": 0.5, "style": 1}',
            ),
            id="the key reward in reward.json, and a metric",
        ),
        pytest.param(
            Reward(score=0.25, metrics={}, reward_json=b'{"accuracy": 0.25}'),
            id="the only key in reward.json",
        ),
        pytest.param(
            Reward(
                score=3.0,
                metrics={"reward": 0.0},
                reward_text=b"1",
                reward_json=b'{"speed": 3, "reward": 0}',
                chosen_key="speed",
            ),
            id="the key that the user has chosen",
        ),
    ],
)
def test_the_reward_is_read_from_the_files_that_the_verifier_leaves(
    reward: Reward,
) -> None:
    """A verifier writes its score as a number, or as JSON with several numbers."""
    grade = reward_of(reward.reward_text, reward.reward_json, reward.chosen_key)

    assert grade.score == reward.score
    assert grade.metrics == reward.metrics
    assert not grade.details
