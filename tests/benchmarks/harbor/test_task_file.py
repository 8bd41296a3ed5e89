"""How tasks in Harbor's format are read, a public format for tasks that are played in containers.

A task is a folder with `task.toml`, `instruction.md`, `environment/Dockerfile` and `tests/test.sh`,
the verifier, which gives the score. Different versions of the format spell the keys of task.toml
differently. A task that needs something which is not supported here is refused, and the
message names it.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.containers.host_variables import (
    missing_host_variables,
    with_host_variables,
)
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
    """Write a task whose task.toml has this text, read it, and return it.

    Raises `TaskFileError` if the text has a fault.
    """
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


class TestTaskToml:
    """Different versions of the format spell the keys of task.toml differently.

    `write_and_read_task` writes a task whose task.toml has this text, and reads it.
    """

    @pytest.mark.parametrize(
        "toml",
        [
            pytest.param(TASK_IN_OLD_SPELLINGS, id="old spellings"),
            pytest.param(TASK_IN_NEW_SPELLINGS, id="new spellings"),
        ],
    )
    def test_old_and_new_spellings_of_limits_mean_the_same(
        self, toml: str, tmp_path: Path
    ) -> None:
        """Older versions of the format wrote sizes with units, and another key for the network.

        Both texts want 2 GB of memory, 10 GB of disk, and no network.
        """
        task = write_and_read_task(tmp_path / "task", toml)

        assert task.memory_mb == 2048
        assert task.storage_mb == 10240
        assert task.file.agent_network == "no-network"

    def test_the_verifier_may_have_another_network_than_the_agent(
        self, tmp_path: Path
    ) -> None:
        """`[environment]` is for both, unless one of them has a table with the same key."""
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
        "toml",
        [
            pytest.param("[agent]\ntimeout_sec = -1", id="negative time"),
            pytest.param('[environment]\nmemory = "much"', id="not a size"),
            pytest.param("[agent", id="syntax error"),
        ],
    )
    def test_an_error_in_task_toml_names_the_file(
        self, tmp_path: Path, toml: str
    ) -> None:
        """Times are numbers of seconds, and sizes have a unit: `2G`."""
        with pytest.raises(TaskFileError, match=r"task\.toml"):
            write_and_read_task(tmp_path / "task", toml)

    @pytest.mark.parametrize(
        ("text", "expected_megabytes"),
        [("512M", 512), ("4Gi", 4096), ("1.5 GB", 1536), ("", 0)],
    )
    def test_sizes_are_read_with_their_units(
        self, text: str, expected_megabytes: int
    ) -> None:
        """G, Gi and GB all mean 1024 MB."""
        assert megabytes(text) == expected_megabytes


class TestUnsupportedFeatures:
    """A task with an unsupported feature is refused, and others of its folder are read.

    The format has features that need more than one container, a graphics card, and the like.
    """

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
        self, tmp_path: Path, toml: str, message_part: str
    ) -> None:
        """Of two tasks, `plain` can be played, and `special` needs a feature of Harbor's."""
        write_and_read_task(tmp_path / "special", toml)
        write_and_read_task(tmp_path / "plain", "")

        folder = read_tasks(tmp_path)

        assert list(folder.tasks) == ["plain"]
        assert message_part in folder.refusals["special"]


def write_and_read_task_with_compose_file(folder: Path, compose: str) -> HarborTask:
    """Write a task with a compose file, read it, and return it.

    A compose file describes containers, which it calls
    services. It takes the place of the Dockerfile.
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


class TestComposeFile:
    """A compose file describes containers, which it calls services, instead of a Dockerfile.

    One service is supported: it gives the image, the variables and the limits
    of the task's container.
    """

    def test_a_compose_file_of_one_service_gives_image_variables_and_limits(
        self, tmp_path: Path
    ) -> None:
        """HOST_KEY has no value, so it gets that of the host later."""
        task = write_and_read_task_with_compose_file(
            tmp_path / "task", COMPOSE_FILE_OF_ONE_SERVICE
        )

        assert unsupported_feature(task) == ""
        assert task.docker_image == "debian:bookworm"
        assert task.workdir == "/app"
        assert task.cpus == 2.0
        assert task.variables == {"COLOUR": "green", "HOST_KEY": "${HOST_KEY}"}
        assert not task.wants_network("agent")

    def test_a_compose_file_may_build_the_folder_of_the_task(
        self, tmp_path: Path
    ) -> None:
        """The folder with the Dockerfile is built. The key `image` only names the result."""
        compose = "services: {main: {build: {context: ., dockerfile: Dockerfile}, image: named}}"
        task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

        assert unsupported_feature(task) == ""
        assert task.docker_image == ""
        assert task.build_folder == task.environment_folder


class TestUnsupportedComposeFiles:
    """An unsupported part of a compose file is named.

    Some parts would give a container rights on the host: its files, or its network.
    """

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
        self, tmp_path: Path, compose: str, message_part: str
    ) -> None:
        """The message names the part, by its key or by what it would give."""
        task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

        assert message_part in unsupported_feature(task)


class TestHostVariables:
    """A task asks for variables of the host by `${NAME}`, or `${NAME:-default}`."""

    def test_only_host_variables_that_the_user_allows_are_filled_in(self) -> None:
        """The user allows KEY alone. REGION has a default, and HOME has none."""
        requested = {"KEY": "${KEY}", "REGION": "in ${REGION:-eu}", "HOME": "${HOME}"}
        allowed = {"KEY": "k1"}

        filled = with_host_variables(requested, allowed)
        missing = missing_host_variables(requested, allowed)

        assert filled == {"KEY": "k1", "REGION": "in eu", "HOME": ""}
        assert missing == ["HOME"]
