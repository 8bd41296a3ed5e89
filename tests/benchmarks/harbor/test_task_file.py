"""Tasks in Harbor's format as files: spellings, what is not supported, variables, rewards."""

from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_settings import with_host_variables
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


def written_task(folder: Path, toml: str) -> HarborTask:
    """Write a task with this task.toml, and return it as it is read."""
    (folder / "environment").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "environment/Dockerfile").write_text("FROM base\n")
    (folder / "tests/test.sh").write_text("exit 0\n")
    (folder / "instruction.md").write_text("Do it.\n")
    (folder / "task.toml").write_text(toml)
    return read_task(folder, folder.name)


def test_older_spellings_mean_the_same_as_todays(tmp_path: Path) -> None:
    older = written_task(
        tmp_path / "older",
        'version = "1.0"\n[environment]\nmemory = "2G"\nstorage = "10 GB"\nallow_internet = false',
    )
    today = written_task(
        tmp_path / "today",
        '[environment]\nmemory_mb = 2048\nstorage_mb = 10240\nnetwork_mode = "no-network"',
    )

    assert (older.memory_mb, older.storage_mb) == (today.memory_mb, today.storage_mb)
    assert older.file.agent_network == today.file.agent_network == "no-network"


def test_a_phase_may_have_another_network_than_the_environment(tmp_path: Path) -> None:
    toml = '[environment]\nnetwork_mode = "no-network"\n[verifier]\nnetwork_mode = "public"'
    task = written_task(tmp_path / "task", toml)

    assert task.file.agent_network == "no-network"
    assert task.file.verifier_network == "public"


@pytest.mark.parametrize(
    ("toml", "named"),
    [
        ('[[steps]]\nname = "first"', "several steps"),
        ('[verifier]\nenvironment_mode = "separate"', "separate environment"),
        ('[agent]\nnetwork_mode = "allowlist"', "list of hosts"),
        ("[environment]\ngpus = 1", "GPUs"),
        ('[[environment.mcp_servers]]\nname = "notes"', "MCP"),
        ('[environment]\nos = "windows"', "windows"),
    ],
)
def test_what_is_not_supported_is_named_and_other_tasks_play(
    tmp_path: Path, toml: str, named: str
) -> None:
    written_task(tmp_path / "special", toml)
    written_task(tmp_path / "plain", "")

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["plain"]
    assert named in folder.refusals["special"]


def task_with_compose_file(folder: Path, compose: str) -> HarborTask:
    """Write a task with this compose file, and return it as it is read."""
    task = written_task(folder, "")
    (task.environment_folder / "docker-compose.yaml").write_text(compose)
    return read_task(folder, folder.name)


def test_a_compose_file_of_one_service_says_image_variables_and_limits(
    tmp_path: Path,
) -> None:
    task = task_with_compose_file(
        tmp_path / "task",
        """
services:
  main:
    image: debian:bookworm
    working_dir: /app
    environment: [COLOUR=green, HOST_KEY]
    command: sleep infinity
    mem_limit: 1g
    cpus: 2
    network_mode: none
""",
    )

    assert unsupported_feature(task) == ""
    assert (task.docker_image, task.workdir, task.cpus) == (
        "debian:bookworm",
        "/app",
        2.0,
    )
    assert task.variables == {"COLOUR": "green", "HOST_KEY": "${HOST_KEY}"}
    assert not task.wants_network("agent")


def test_a_compose_file_may_build_the_folder_of_the_task(tmp_path: Path) -> None:
    compose = (
        "services: {main: {build: {context: ., dockerfile: Dockerfile}, image: named}}"
    )
    task = task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert task.docker_image == ""
    assert task.build_folder == task.environment_folder


@pytest.mark.parametrize(
    ("compose", "named"),
    [
        ("services: {}", "0 services"),
        ("services: {main: {build: .}, store: {image: redis}}", "2 services"),
        ("services: {main: {build: ., volumes: [/:/host]}}", "volumes"),
        ("services: {main: {build: ., privileged: true}}", "privileged"),
        ("services: {main: {build: ., network_mode: host}}", "network_mode"),
        ("services: {main: {build: ../../..}}", "outside"),
        (
            "services: {main: {build: {context: ., secrets: [key]}}}",
            "build has secrets",
        ),
        ("services: {main: {command: sleep}}", "neither build"),
        ("services: {main: {build: .}}\nvolumes: {data: {}}", "volumes"),
        ("services: [", "cannot be read"),
        ("[]", "no services"),
    ],
)
def test_a_compose_file_that_needs_more_is_refused_by_name(
    tmp_path: Path, compose: str, named: str
) -> None:
    task = task_with_compose_file(tmp_path / "task", compose)

    assert named in unsupported_feature(task)


@pytest.mark.parametrize(
    "toml", ["[agent]\ntimeout_sec = -1", '[environment]\nmemory = "much"', "[agent"]
)
def test_a_fault_is_told_with_its_file(tmp_path: Path, toml: str) -> None:
    with pytest.raises(TaskFileError, match=r"task\.toml"):
        written_task(tmp_path / "task", toml)


def test_sizes_have_binary_and_decimal_units() -> None:
    assert [megabytes(text) for text in ("512M", "4Gi", "1.5 GB", "")] == [
        512,
        4096,
        1536,
        0,
    ]


def test_only_variables_that_the_user_allows_are_filled_in() -> None:
    values = {"KEY": "${KEY}", "REGION": "in ${REGION:-eu}", "HOME": "${HOME}"}

    filled = with_host_variables(values, {"KEY": "k1"})
    variables, missing = filled.values, filled.missing

    assert variables == {"KEY": "k1", "REGION": "in eu", "HOME": ""}
    assert missing == ["HOME"]


@pytest.mark.parametrize(
    ("text", "rewards", "name", "score", "metrics"),
    [
        (b"1\n", None, "", 1.0, {}),
        (None, b'{"reward": 0.5, "style": 1}', "", 0.5, {"style": 1.0}),
        (None, b'{"accuracy": 0.25}', "", 0.25, {}),
        (b"1", b'{"speed": 3, "reward": 0}', "speed", 3.0, {"reward": 0.0}),
        (None, b'{"a": 1, "b": 0}', "", None, {"a": 1.0, "b": 0.0}),
        (None, None, "", None, {}),
        (b"passed", None, "", None, {}),
        (None, b"[1]", "", None, {}),
        (b"nan", None, "", None, {}),
    ],
)
def test_the_reward_is_read_from_the_verifiers_files(
    text: bytes | None,
    rewards: bytes | None,
    name: str,
    score: float | None,
    metrics: dict[str, float],
) -> None:
    grade = reward_of(text, rewards, name)

    assert (grade.score, grade.metrics) == (score, metrics)
    assert (grade.score is None) == bool(grade.details)
