"""Tasks in Harbor's format are read and played in containers, within their limits.

Both spellings of `task.toml` and compose files of one service are read. A task that cannot be read
or is not supported is named, and the others are played. Programs in and around containers run
within limits of time and output, and end with the run. The score is read from the file that the
verifier leaves. Notices come with the first trial.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.agent.loop import LeftOpen
from controlplane.benchmark import BenchmarkContext
from controlplane.benchmarks.containers import container as program_run
from controlplane.benchmarks.containers.compose_file import ComposeBuild, ComposeService
from controlplane.benchmarks.containers.container import (
    KEPT_OUTPUT_BYTES,
    MISSING,
    NOT_ALLOWED,
    READ_FILE,
    CommandInterrupted,
    CommandPlace,
    CommandResult,
    Container,
    RuntimeProgram,
    go_on,
)
from controlplane.benchmarks.containers.container_images import ContainerImages
from controlplane.benchmarks.containers.container_runtime import (
    RunBeginning,
    find_runtime,
    unenforced_limits,
    wait_until_healthy,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
    Healthcheck,
    missing_host_variables,
    with_host_variables,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.harbor.harbor_benchmark import (
    TaskFileError,
    read_task,
    read_tasks,
    unsupported_feature,
)
from controlplane.benchmarks.harbor.tasks import megabytes
from controlplane.benchmarks.harbor.terminal_environment import (
    READ_LINES,
    TerminalEnvironment,
)
from controlplane.benchmarks.harbor.verifier import reward_of, reward_of_summary
from controlplane.sandbox.interface import CallError
from tests.benchmarks.harbor.written_task import (
    write_and_read_task,
    write_and_read_task_with_compose_file,
)
from tests.support.command import wait_until

# The program that runs containers: podman, or else docker, unless the user names one.
#
# It is looked for in the folders of PATH. If neither is there, the error names both.

ANY_PROGRAM = shutil.which("true") or "/bin/true"
"""A program that stands for podman or docker, which are only looked for here and not run."""


def path_with_programs(folder: Path, *names: str) -> dict[str, str]:
    """Return variables whose PATH has only programs of these names: `{"PATH": "/tmp/x"}`."""
    for name in names:
        (folder / name).symlink_to(ANY_PROGRAM)
    return {"PATH": str(folder)}


def settings_of(runtime_name: str) -> ContainerSettings:
    """Return the settings of a user who names a runtime; empty for one who does not."""
    return ContainerSettings.parse({"runtime": runtime_name}, {})


def test_podman_is_preferred_to_docker(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path, "docker", "podman")

    named_by_user = ""
    assert find_runtime(settings_of(named_by_user), variables).name == "podman"


def test_docker_is_taken_if_there_is_no_podman(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path, "docker")

    assert find_runtime(settings_of(""), variables).name == "docker"


def test_the_program_that_the_user_names_is_taken(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path, "docker", "podman")

    assert find_runtime(settings_of("docker"), variables).name == "docker"


def test_the_program_that_the_user_names_must_exist(tmp_path: Path) -> None:
    """The other program is not taken instead."""
    variables = path_with_programs(tmp_path, "podman")

    with pytest.raises(ContainerError, match="docker"):
        find_runtime(settings_of("docker"), variables)


def test_without_any_program_the_error_names_both(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path)

    with pytest.raises(ContainerError, match=r"podman.*docker"):
        find_runtime(settings_of(""), variables)


# Limits of a container that the machine cannot enforce, so that the user is told of them.
#
# Podman and docker print in `info` what the limits depend on. Podman prints "true v1" if it runs
# without root, and with version 1 of the kernel's control groups: it cannot limit memory then.


@pytest.mark.parametrize(
    ("is_rootless_and_cgroups", "limits"),
    [
        pytest.param("false v1\n", [], id="as root"),
        pytest.param("true v2\n", [], id="without root, new control groups"),
        pytest.param(
            "true v1\n",
            ["memory", "cores", "processes"],
            id="without root, old control groups",
        ),
    ],
)
def test_podman_without_root_cannot_limit_by_old_control_groups(
    tmp_path: Path, is_rootless_and_cgroups: str, limits: list[str]
) -> None:
    program = _podman(tmp_path, f"printf '{is_rootless_and_cgroups}'")

    assert unenforced_limits(program) == limits


@pytest.mark.parametrize(
    ("can_limit", "limits"),
    [
        pytest.param("true true true\n", [], id="everything"),
        pytest.param("true false false\n", ["cores", "processes"], id="memory only"),
        pytest.param("", [], id="docker says nothing"),
    ],
)
def test_docker_says_itself_what_it_cannot_limit(
    tmp_path: Path, can_limit: str, limits: list[str]
) -> None:
    """`docker info` prints whether it can limit memory, cores and processes, in this order."""
    podman = _podman(tmp_path, f"printf '{can_limit}'")
    docker = Path(podman.path).rename(tmp_path / "docker")

    assert unenforced_limits(RuntimeProgram(str(docker))) == limits


# A task may describe its container by a compose file, a format of Docker, instead of a Dockerfile.
#
# The file calls a container a service. A task's file has one, which gives the task's container its
# image, variables and limits: `services: {main: {image: "debian:bookworm"}}`.


def test_a_compose_file_of_one_service_gives_image_variables_and_limits(
    tmp_path: Path,
) -> None:
    """HOST_KEY has no value, so the container gets that of the host when it starts."""
    compose = """
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
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert task.main.image == "debian:bookworm"
    assert task.main.workdir == "/app"
    assert task.main.cpus == 2.0
    assert dict(task.main.variables) == {"COLOUR": "green", "HOST_KEY": "${HOST_KEY}"}
    assert not task.wants_network("agent")


def test_a_compose_file_may_build_the_folder_of_the_task(tmp_path: Path) -> None:
    """The folder with the Dockerfile is built. The key `image` only names the result."""
    compose = (
        "services: {main: {build: {context: ., dockerfile: Dockerfile}, image: named}}"
    )
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert unsupported_feature(task) == ""
    assert task.main.image == ""
    assert task.main.build is not None
    assert task.main.build.folder == task.environment_folder


# A task that cannot be read is told by name, and the other tasks of its folder are played.
#
# Anybody may have written a task: a folder of many tasks from several authors has a faulty one.

IMAGE = "services:\n  main:\n    image: debian\n"
BOMB = "x-a: &a [aaaaaaaa,aaaaaaaa]\n" + "".join(
    f"x-{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefghi", "bcdefghij", strict=True)
)
"""By its aliases, a short text that stands for gigabytes."""


@pytest.mark.parametrize(
    ("toml", "fault"),
    [
        pytest.param("[agent", "task.toml", id="no TOML"),
        pytest.param("a = " + "[" * 3_000, "nested too deeply", id="3,000 brackets"),
        pytest.param(
            f"[environment]\ncpus = 1{'0' * 400}", "300 digits", id="400 digits"
        ),
        pytest.param("[agent]\ntimeout_sec = inf", "finite", id="time without end"),
        pytest.param(
            'artifacts = ["/app/../x"]', "leads out", id="artifact out of its folder"
        ),
        pytest.param(f'[environment]\nmemory = "{"9" * 400}G"', "finite", id="memory"),
        pytest.param(
            '[environment]\nworkdir = "/a\\u0000b"', "NUL", id="path with NUL"
        ),
        pytest.param(
            '[environment]\nenv = {"A\\u0000" = "b"}', "NUL", id="name with NUL"
        ),
    ],
)
def test_a_faulty_task_toml_costs_only_its_own_task(
    tmp_path: Path, toml: str, fault: str
) -> None:
    write_and_read_task(tmp_path / "good", "")
    write_and_read_task(tmp_path / "bad", "")
    (tmp_path / "bad/task.toml").write_text(toml)

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["good"]
    assert list(folder.refusals) == ["bad"]
    assert fault in folder.refusals["bad"]


@pytest.mark.parametrize(
    ("compose", "fault"),
    [
        pytest.param(f"{IMAGE}    cpus: 1{'0' * 400}\n", "300 digits", id="400 digits"),
        pytest.param(f"{IMAGE}    cpus: .nan\n", "no number of cores", id="no number"),
        pytest.param(f"{IMAGE}    cpus: 1e999\n", "no number of cores", id="infinite"),
        pytest.param(f"{IMAGE}    cpus: !!int ''\n", "cannot be read", id="parser"),
        pytest.param(f'{IMAGE}    working_dir: "/a\\0"\n', "NUL", id="path with NUL"),
        pytest.param(f"{BOMB}{IMAGE}    working_dir: *j\n", "aliases", id="folder"),
        pytest.param(
            f"{BOMB}{IMAGE}    environment: {{A: *j}}\n", "aliases", id="name"
        ),
        pytest.param(f"{BOMB}{IMAGE}    mem_limit: *j\n", "aliases", id="memory"),
    ],
)
def test_a_faulty_compose_file_costs_only_its_own_task(
    tmp_path: Path, compose: str, fault: str
) -> None:
    write_and_read_task(tmp_path / "good", "")
    write_and_read_task_with_compose_file(tmp_path / "bad", compose)

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["good"]
    assert fault in folder.refusals["bad"]


def test_a_folder_whose_name_is_no_id_costs_only_its_own_task(tmp_path: Path) -> None:
    write_and_read_task(tmp_path / "good", "")
    write_and_read_task(tmp_path / "001. my task", "")
    write_and_read_task(tmp_path / "\x1b[2J", "")

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["good"]
    assert set(folder.refusals) == {"001. my task", "␛[2J"}
    assert "letters, digits" in folder.refusals["001. my task"]


def test_a_time_that_no_timer_can_wait_is_shortened(tmp_path: Path) -> None:
    task = write_and_read_task(tmp_path / "task", "[agent]\ntimeout_sec = 1e300\n")

    assert task.file.agent.timeout_sec == 1_000_000


# Environment variables of the user for which a task asks, by `${NAME}` or `${NAME:-default}`.
#
# The task's container gets the value of KEY for `"${KEY}"` only if the user has allowed KEY.


def test_only_host_variables_that_the_user_allows_are_filled_in() -> None:
    """The user allows KEY alone. REGION has a default, and HOME has none."""
    requested = {"KEY": "${KEY}", "REGION": "in ${REGION:-eu}", "HOME": "${HOME}"}
    allowed = {"KEY": "k1"}

    filled = with_host_variables(requested, allowed)
    missing = missing_host_variables(requested, allowed)

    assert filled == {"KEY": "k1", "REGION": "in eu", "HOME": ""}
    assert missing == ["HOME"]


# The network of a task's container, in two phases: the agent works, and the verifier runs.
#
# The verifier is the script that gives the score. The task's file, `task.toml`, can want a network
# for both phases, or for one of them.


def test_the_verifier_may_have_another_network_than_the_agent(tmp_path: Path) -> None:
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


# Sizes of memory and disk in a task's file: `memory = "4Gi"` means 4096 megabytes.


@pytest.mark.parametrize(
    ("text", "expected_megabytes"),
    [("512M", 512), ("4Gi", 4096), ("1.5 GB", 1536), ("", 0)],
)
def test_sizes_are_read_with_their_units(text: str, expected_megabytes: int) -> None:
    """G, Gi and GB all mean 1024 MB."""
    assert megabytes(text) == expected_megabytes


# The file `task.toml` of a task in Harbor's format, a public format for tasks in containers.
#
# The file says how much memory, disk and network the task's container needs. Versions of the
# format spell its keys differently: `memory = "2G"` is `memory_mb = 2048` in a newer one.

OLD_SPELLINGS = """
version = "1.0"

[environment]
memory = "2G"
storage = "10 GB"
allow_internet = false
"""
NEW_SPELLINGS = """
[environment]
memory_mb = 2048
storage_mb = 10240
network_mode = "no-network"
"""


@pytest.mark.parametrize(
    "toml",
    [
        pytest.param(OLD_SPELLINGS, id="old spellings"),
        pytest.param(NEW_SPELLINGS, id="new spellings"),
    ],
)
def test_old_and_new_spellings_of_limits_mean_the_same(
    toml: str, tmp_path: Path
) -> None:
    task = write_and_read_task(tmp_path / "task", toml)

    assert task.file.environment.memory_mb == 2048
    assert task.file.environment.storage_mb == 10240
    assert task.file.agent_network == "no-network"


@pytest.mark.parametrize(
    "toml",
    [
        pytest.param("[agent]\ntimeout_sec = -1", id="negative time"),
        pytest.param('[environment]\nmemory = "much"', id="not a size"),
        pytest.param("[agent", id="syntax error"),
    ],
)
def test_an_error_in_task_toml_names_the_file(tmp_path: Path, toml: str) -> None:
    with pytest.raises(TaskFileError, match=r"task\.toml"):
        write_and_read_task(tmp_path / "task", toml)


# Compose files of tasks that ask for more than one container of their own.
#
# A compose file, such as `services: {main: {build: ., privileged: true}}`, describes the container
# of a task. Some keys would give the container rights on the host, such as its files or its
# network. The task is then refused, and the message names the key: "privileged".

FILES_OF_THE_HOST = "services: {main: {build: ., volumes: [/:/host]}}"
RIGHTS_ON_THE_HOST = "services: {main: {build: ., privileged: true}}"
NETWORK_OF_THE_HOST = "services: {main: {build: ., network_mode: host}}"
FOLDER_OUTSIDE_THE_TASK = "services: {main: {build: ../../..}}"
SECRETS = "services: {main: {build: {context: ., secrets: [key]}}}"
SHARED_FOLDERS = (
    "services: {main: {build: ., volumes: ['data:/data']}}\n"
    "volumes: {data: {driver_opts: {type: none, o: bind, device: /etc}}}"
)
SOCKET = (
    "services: {main: {build: ., volumes: "
    "['/var/run/docker.sock:/var/run/docker.sock']}}"
)
LONG_FORM = (
    "services: {main: {build: ., volumes: [{type: bind, source: /etc, target: /host}]}}"
)
CIRCLE = (
    "services: {main: {build: ., depends_on: [store]}, "
    "store: {image: redis, depends_on: [main]}}"
)


@pytest.mark.parametrize(
    ("compose", "message_part"),
    [
        pytest.param("services: {}", "no services", id="no container"),
        pytest.param(FILES_OF_THE_HOST, "volumes", id="files of the host"),
        pytest.param(RIGHTS_ON_THE_HOST, "privileged", id="rights on the host"),
        pytest.param(NETWORK_OF_THE_HOST, "network_mode", id="the network of the host"),
        pytest.param(
            FOLDER_OUTSIDE_THE_TASK,
            "leads out of the tasks",
            id="an image of a folder outside the task",
        ),
        pytest.param(SECRETS, "build has secrets", id="an image built with secrets"),
        pytest.param(
            "services: {main: {build: .}, store: {command: sleep}}",
            "neither build",
            id="a service without an image",
        ),
        pytest.param(SHARED_FOLDERS, "has driver_opts", id="a folder as a volume"),
        pytest.param(SOCKET, "docker.sock", id="the socket of the host"),
        pytest.param(LONG_FORM, "/etc", id="a file of the host, in the long form"),
        pytest.param(
            "services: {main: {build: ., pid: host}}", "pid", id="its processes"
        ),
        pytest.param("services: {main: {build: ., ipc: host}}", "ipc", id="its memory"),
        pytest.param(
            "services: {main: {build: ., devices: [/dev/kvm]}}",
            "devices",
            id="its devices",
        ),
        pytest.param(
            "services: {main: {build: ., cap_add: [SYS_ADMIN]}}",
            "SYS_ADMIN",
            id="a capability that reaches the host",
        ),
        pytest.param(
            "services: {main: {build: ., security_opt: ['seccomp=unconfined']}}",
            "seccomp",
            id="no filter of system calls",
        ),
        pytest.param(
            "services: {main: {image: '${IMAGE_OF_HOST}'}}",
            "IMAGE_OF_HOST",
            id="an image that a variable of the host names",
        ),
        pytest.param(
            "services: {main: {build: .}}\nnetworks: {n: {external: true}}",
            "external",
            id="a network of the host",
        ),
        pytest.param(
            "services: {main: {build: ., depends_on: [store]}}",
            "store, which is missing",
            id="a service that is missing",
        ),
        pytest.param(CIRCLE, "wait for each other", id="a circle"),
        pytest.param(
            "services: {main: {build: ., deploy: {resources: {reservations: "
            "{devices: [{capabilities: [gpu]}]}}}}}",
            "GPUs",
            id="a graphics card",
        ),
        pytest.param(
            "services: {main: {build: ., has_network: true}}",
            "has has_network",
            id="what the reader finds out",
        ),
        pytest.param(
            "services: {main: {build: ., workdir: /app}}",
            "has workdir",
            id="a name of this product for a key",
        ),
        pytest.param(
            "services: {main: {build: {folder: /etc}}}",
            "build has folder",
            id="a name of this product for a key of build",
        ),
        pytest.param(
            "services: {main: {build: ., command: [" + "a, " * 201 + "]}}",
            "a list of at most 200 entries",
            id="a command that would be cut",
        ),
        pytest.param("services: [", "cannot be read", id="a syntax error"),
        pytest.param("[]", "no services", id="a list"),
    ],
)
def test_an_unsupported_part_of_a_compose_file_is_named(
    tmp_path: Path, compose: str, message_part: str
) -> None:
    task = write_and_read_task_with_compose_file(tmp_path / "task", compose)

    assert message_part in unsupported_feature(task)


# Tasks in Harbor's format that need what is not supported here: a second container, say.
#
# Harbor is a public format for tasks that are played in containers. A task is a folder, and its
# `task.toml` says what it needs. `gpus = 1` needs a graphics card: the task is refused, with a
# message that has "GPUs", and the other tasks of the folder can still be played.

SOME_HOSTS_ONLY = '[agent]\nnetwork_mode = "allowlist"'
MCP_SERVER = '[[environment.mcp_servers]]\nname = "notes"'


@pytest.mark.parametrize(
    ("toml", "message_part"),
    [
        pytest.param('[[steps]]\nname = "first"', "several steps", id="steps"),
        pytest.param(
            '[verifier.environment]\nnetwork_mode = "allowlist"',
            "list of hosts",
            id="a verifier with some hosts only",
        ),
        pytest.param(
            "[verifier.environment]\ngpus = 1", "GPUs", id="a verifier with GPUs"
        ),
        pytest.param(
            '[environment]\nallowed_hosts = ["example.com"]',
            "list of hosts",
            id="hosts without a mode",
        ),
        pytest.param(
            '[environment.tpu]\ntype = "v4"\ntopology = "2x2x1"', "TPUs", id="a TPU"
        ),
        pytest.param(
            '[[verifier.collect]]\ncommand = "true"\nservice = "db"',
            "the service 'db'",
            id="a collection from a service that is missing",
        ),
        pytest.param(
            SOME_HOSTS_ONLY, "list of hosts", id="a network with some hosts only"
        ),
        pytest.param("[environment]\ngpus = 1", "GPUs", id="a graphics card"),
        pytest.param(MCP_SERVER, "MCP", id="an MCP server"),
        pytest.param('[environment]\nos = "windows"', "windows", id="Windows"),
    ],
)
def test_a_task_with_an_unsupported_feature_is_refused_and_others_are_read(
    tmp_path: Path, toml: str, message_part: str
) -> None:
    write_and_read_task(tmp_path / "special", toml)
    write_and_read_task(tmp_path / "plain", "")

    folder = read_tasks(tmp_path)

    assert list(folder.tasks) == ["plain"]
    assert message_part in folder.refusals["special"]


# Tasks of Terminal-Bench's first form: `task.yaml`, `run-tests.sh`, `solution.sh` and a Dockerfile.
#
# The summary of pytest that the tests print is their score.

FIRST_FORM = {
    "task.yaml": "instruction: Do it.\nmax_agent_timeout_sec: 7\n",
    "run-tests.sh": "pytest -rA\n",
    "Dockerfile": "FROM base\n",
}
"""The files of such a task."""


def write_first_form(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True)
    for name, text in {**FIRST_FORM, **files}.items():
        (folder / name).write_text(text)


def test_a_task_of_the_first_form_is_read(tmp_path: Path) -> None:
    compose = (
        "services: {client: {build: ., image: '${T_BENCH_TASK_DOCKER_CLIENT_IMAGE_NAME}', "
        "volumes: ['${T_BENCH_TASK_LOGS_PATH}:${T_BENCH_CONTAINER_LOGS_PATH}']}}"
    )
    write_first_form(tmp_path / "old", **{"docker-compose.yaml": compose})

    task = read_tasks(tmp_path).tasks["old"]

    assert task.instruction == "Do it."
    assert task.file.agent.timeout_sec == 7
    assert task.main.build is not None
    assert task.main.build.folder == (tmp_path / "old").resolve()
    assert dict(task.main.variables) == {"TEST_DIR": "/tests"}
    assert task.main.volumes == ()


def test_the_oldest_tasks_have_descriptions_and_lists_of_commands(
    tmp_path: Path,
) -> None:
    write_first_form(
        tmp_path / "old",
        **{
            "task.yaml": "descriptions: [{key: hard, description: No.}, {key: base, description: Do it.}]",
            "solution.yaml": "- command: cd /app\n- command: make\n  min_timeout_sec: 1.0\n",
        },
    )
    write_first_form(tmp_path / "odd", **{"solution.yaml": "- make\n"})

    tasks = read_tasks(tmp_path).tasks

    assert tasks["old"].instruction == "Do it."
    assert list(tasks["old"].solution_files(1_000)) == [
        ("solve.sh", b"cd /app\nmake\n", 0o755)
    ]
    with pytest.raises(SetFileError, match=r"solution\.yaml cannot be read"):
        list(tasks["odd"].solution_files(1_000))


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("task.yaml", "instruction: x\nparser_name: swebench\n", "parser 'swebench'"),
        (
            "task.yaml",
            "instruction: x\nrun_tests_in_same_shell: true\n",
            "run_tests_in_same_shell",
        ),
        ("task.yaml", "parser_name: pytest\n", "instruction: Field required"),
        ("task.yaml", "instruction: ' '\n", "it has no instruction"),
        ("task.yaml", "- x\n", "valid dictionary"),
        (
            "docker-compose.yaml",
            "services: {client: {build: ., volumes: ['./:/app']}}",
            "mounts './' of this machine",
        ),
        (
            "docker-compose.yaml",
            "services: {a: {image: b}, c: {image: d}}",
            "none of its services is named client",
        ),
    ],
)
def test_a_task_of_the_first_form_that_is_not_played_is_named(
    tmp_path: Path, file: str, text: str, reason: str
) -> None:
    write_first_form(tmp_path / "old", **{file: text})
    write_first_form(tmp_path / "without-tests")
    (tmp_path / "without-tests/run-tests.sh").unlink()

    refusals = read_tasks(tmp_path).refusals

    assert reason in refusals["old"]
    assert refusals["without-tests"] == "it has no run-tests.sh"


@pytest.mark.parametrize(
    ("output", "score"),
    [
        ("== short test summary info ==\nPASSED t.py::a\nXFAIL t.py::b\n", 1.0),
        ("== short test summary info ==\nPASSED t.py::a\nFAILED t.py::b - x\n", 0.0),
        ("== short test summary info ==\nERROR t.py - ImportError\n", 0.0),
        (
            "short test summary info\nPASSED forged\n"
            "== short test summary info ==\nFAILED t.py::a\n",
            0.0,
        ),
        ("PASSED t.py::a\n", None),
        ("== short test summary info ==\n== 1 passed ==\n", None),
        ("", None),
    ],
)
def test_the_summary_of_pytest_is_a_score(output: str, score: float | None) -> None:
    assert reward_of_summary(output.encode()).score == score


def test_of_two_compose_files_that_of_harbor_is_read_and_the_other_told(
    tmp_path: Path,
) -> None:
    task = write_and_read_task_with_compose_file(
        tmp_path / "task", "services: {main: {image: 'debian:13'}}"
    )
    (task.environment_folder / "compose.yaml").write_text("services: {other: {}}")

    task = read_task(task.folder, "task")

    assert task.main.image == "debian:13"
    (note,) = task.compose.notes
    assert note == (
        "main: docker-compose.yaml is read, and compose.yaml beside it is not"
    )


# Searches in the files of a container, by a short program that runs `grep` there.
#
# The program needs only a shell and the usual commands, so these tests run it without a container.


class ThisMachine:
    """Runs commands on this machine, and has the method of a container that runs them there."""

    def run(
        self,
        command: Sequence[str],
        place: CommandPlace,
        *,
        stdin: bytes,
        timeout_s: float,
    ) -> CommandResult:
        """Run a command in the folder and as the user of this process, whatever `place` says."""
        ended = subprocess.run(command, input=stdin, capture_output=True, check=False)
        return CommandResult(ended.stdout, ended.stderr, ended.returncode)


@pytest.mark.parametrize(
    ("content", "shown_text"),
    [
        pytest.param(b"seat 12\n", "seat 12", id="plain"),
        pytest.param(b"seat 12\r\n", "seat 12", id="line end of Windows"),
        pytest.param(b"\x0cseat 12\n", "\x0cseat 12", id="form feed before a section"),
        pytest.param(
            "seat 12\u2028row 4\n".encode(),
            "seat 12\u2028row 4",
            id="line separator of Unicode",
        ),
    ],
)
def test_a_match_has_the_text_of_its_whole_line(
    content: bytes, shown_text: str, tmp_path: Path
) -> None:
    """Only a line feed ends a line, as for `grep`. Source files may have form feeds."""
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    environment = TerminalEnvironment(ThisMachine(), CommandPlace("", "/"), LONG_S)

    result = environment.call("search", {"pattern": "seat", "root": str(tmp_path)})

    assert result["matches"] == [{"path": str(path), "line": 1, "text": shown_text}]


# Shell programs that read files inside a container, and say by exit codes why they cannot.
#
# `harness.read("/app/a.txt")` of an agent runs such a program in the container of its task. A missing
# file, one that may not be read, and an empty one must not look alike. Here, the programs read a
# file of this machine with the lines "a", "b" and "c".

both_programs = pytest.mark.parametrize(
    "program",
    [
        pytest.param(READ_FILE, id="read a file"),
        pytest.param(READ_LINES, id="read lines"),
    ],
)


@pytest.fixture
def path() -> Iterator[Path]:
    """A file of the lines "a", "b" and "c", in a folder that every user may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "secret.txt"
        path.write_text("a\nb\nc\n")
        yield path


def run_as_nobody(program: str, path: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a program on a file as the user "nobody", since root may read every file.

    Both programs print at most 100 bytes, and `READ_LINES` prints lines 1 and 2.
    """
    nobody = 65_534 if os.geteuid() == 0 else None
    max_bytes, lines = "100", "1,2p"
    words = ["sh", "-c", program, "name of the program", str(path), max_bytes, lines]
    return subprocess.run(words, user=nobody, capture_output=True, check=False)


@both_programs
def test_a_file_is_read(path: Path, program: str) -> None:
    assert run_as_nobody(program, path).stdout.startswith(b"a\nb\n")


@both_programs
def test_a_file_that_may_not_be_read_has_an_exit_code_of_its_own(
    path: Path, program: str
) -> None:
    path.chmod(0)

    assert run_as_nobody(program, path).returncode == NOT_ALLOWED


@both_programs
def test_a_file_that_does_not_exist_has_an_exit_code_of_its_own(
    path: Path, program: str
) -> None:
    path.unlink()

    assert run_as_nobody(program, path).returncode == MISSING


# Programs such as podman run within limits: of their time, of their output, and until the run stops.
#
# They pass on what a stranger's container prints, and wait as long as the stranger's commands do. Here
# the programs are shell scripts of this machine, also in place of podman.

LONG_S = 600.0
"""A time limit that no test reaches."""


class Stopped(Exception):
    """Raised by a test while a program runs."""


def run_program(
    command: list[str],
    stdin: bytes,
    while_waiting: Callable[[], None] = go_on,
    output_bytes: int = KEPT_OUTPUT_BYTES,
) -> CommandResult:
    """Run a program of this machine as podman is run."""
    path, *arguments = command
    return RuntimeProgram(path).run(
        *arguments,
        stdin=stdin,
        timeout_s=LONG_S,
        while_waiting=while_waiting,
        output_bytes=output_bytes,
    )


def test_only_the_start_and_the_end_of_a_long_output_are_kept() -> None:
    script = "printf start; head -c 5000000 /dev/zero; printf end"

    result = run_program(["sh", "-c", script], b"", output_bytes=1_000)

    assert result.exit_code == 0
    assert len(result.stdout) == 1_000
    assert result.stdout.startswith(b"start")
    assert result.stdout.endswith(b"end")
    assert result.left_out_bytes == 5_000_000 + len("start" + "end") - 1_000


def test_a_program_that_prints_without_end_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(program_run, "MOST_PRINTED_BYTES", 1_000_000)

    result = run_program(["sh", "-c", "yes >&2"], b"")

    assert result.exit_code != 0
    assert result.stderr.endswith(b"[ended: it printed more than 1,000,000 bytes]\n")


def test_the_last_lines_of_a_long_build_tell_why_it_failed(tmp_path: Path) -> None:
    script = (
        "head -c 5000000 /dev/zero | tr '\\0' '\\n'; "
        "echo STEP 2/2: RUN make; echo no such base image; exit 1"
    )
    images = ContainerImages(_podman(tmp_path, script), settings_of(""))
    (tmp_path / "Dockerfile").write_text("FROM scratch\nRUN make\n")
    service = ComposeService(build=ComposeBuild(folder=tmp_path))

    with pytest.raises(ContainerError) as failure:
        images.image_of(service, SetFiles.of(tmp_path), LONG_S)

    # A table shows the first words alone: what is said last goes first.
    lines = str(failure.value).splitlines()
    assert lines[:2] == ["podman could not build the image", "no such base image"]
    assert lines[-1] == "STEP 2/2: RUN make"


def test_input_and_output_of_any_size_pass_at_the_same_time() -> None:
    data = b"0123456789" * 300_000

    result = run_program(["cat"], data, output_bytes=len(data))

    assert result.stdout == data
    assert result.left_out_bytes == 0


def test_input_that_nobody_reads_is_dropped() -> None:
    result = run_program(["sh", "-c", "exec <&-; echo done"], b"x" * 1_000_000)

    assert result.stdout == b"done\n"


def test_a_program_is_over_although_its_children_keep_the_output_open() -> None:
    result = run_program(["sh", "-c", "sleep 600 & echo $!"], b"")

    child = int(result.stdout)
    os.kill(child, signal.SIGKILL)  # It still ran.
    assert result.exit_code == 0


def test_a_program_that_has_closed_its_output_is_waited_for() -> None:
    result = run_program(["sh", "-c", "exec >&- 2>&-; sleep 0.3; exit 7"], b"")

    assert result.exit_code == 7


def test_what_a_program_has_started_in_another_session_ends_with_it(
    tmp_path: Path,
) -> None:
    """Podman starts some of its helpers in sessions of their own."""
    ids = tmp_path / "ids"
    script = f"setsid sh -c 'echo $$ >>{ids}; exec sleep 600' & echo $$ >>{ids}; wait"

    def stop_once_both_run() -> None:
        if ids.exists() and len(ids.read_text().splitlines()) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        run_program(["sh", "-c", script], b"", stop_once_both_run)

    process_ids = [int(line) for line in ids.read_text().splitlines()]
    wait_until(lambda: not any(_runs(process_id) for process_id in process_ids))


def _runs(process_id: int) -> bool:
    """Return True if a process runs: a dead one that nobody has waited for does not count."""
    try:
        status = Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def test_a_build_that_is_ended_cleans_up(tmp_path: Path) -> None:
    """Podman removes the container of a build after the command in it has ended."""
    program = _podman(tmp_path, f"sleep 600; echo removed >{tmp_path}/done")

    with pytest.raises(ContainerError):
        program.run_or_raise("build the image", "build", ".", timeout_s=0.5)

    assert (tmp_path / "done").read_text() == "removed\n"


def _podman(folder: Path, script: str) -> RuntimeProgram:
    """Return a program that takes podman's place: a shell script."""
    path = folder / "podman"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return RuntimeProgram(str(path))


@pytest.fixture
def stop_after_start(tmp_path: Path) -> Iterator[Callable[[RuntimeProgram], None]]:
    """A function that stops a run as soon as its program has made the file `started`."""
    threads: list[threading.Thread] = []

    def begin(program: RuntimeProgram) -> None:
        def stop() -> None:
            wait_until((tmp_path / "started").exists)
            program.stop_signal.set()

        thread = threading.Thread(target=stop)
        thread.start()
        threads.append(thread)

    yield begin
    for thread in threads:
        thread.join()


@pytest.mark.parametrize(
    "check_script",
    [
        pytest.param("sleep 600", id="check that sleeps"),
        pytest.param("exit 1", id="pause between checks"),
    ],
)
def test_a_stop_ends_the_wait_for_a_healthy_container(
    tmp_path: Path,
    check_script: str,
    stop_after_start: Callable[[RuntimeProgram], None],
) -> None:
    program = _podman(tmp_path, f"touch {tmp_path}/started; {check_script}")
    check = Healthcheck(
        command="true", timeout_sec=100_000, interval_sec=100_000, start_period_sec=1e9
    )
    stop_after_start(program)

    with pytest.raises(CommandInterrupted):
        wait_until_healthy(Container(program, "name"), check)


def test_a_stop_ends_the_read_of_a_file_that_never_ends(
    tmp_path: Path, stop_after_start: Callable[[RuntimeProgram], None]
) -> None:
    """A pipe of a container, say. The trial stays open, and a resumed run reads it again."""
    program = _podman(tmp_path, f"touch {tmp_path}/started; sleep 600")
    place = CommandPlace(workdir="/")
    environment = TerminalEnvironment(Container(program, "name"), place, LONG_S)
    stop_after_start(program)

    with pytest.raises(LeftOpen):
        environment.call("read", {"path": "/tmp/pipe"})


def test_the_end_of_a_trial_ends_the_read_of_a_file_that_never_ends(
    tmp_path: Path,
) -> None:
    program = _podman(tmp_path, "sleep 600")
    place = CommandPlace(workdir="/")
    environment = TerminalEnvironment(Container(program, "name"), place, LONG_S)
    environment.ends_at = time.monotonic() + 0.5

    with pytest.raises(CallError, match=r"took too long|time of this trial is over"):
        environment.call("read", {"path": "/tmp/pipe"})
    with pytest.raises(CallError, match="time of this trial is over"):
        environment.call("read", {"path": "/tmp/pipe"})


def test_a_reading_program_that_prints_more_than_it_was_asked_for_fails(
    tmp_path: Path,
) -> None:
    """The agent is root in its container, and may have put another program in its place."""
    program = _podman(tmp_path, "head -c 5000000 /dev/zero")
    place = CommandPlace(workdir="/")
    environment = TerminalEnvironment(Container(program, "name"), place, LONG_S)

    with pytest.raises(CallError, match="print more than they were asked for"):
        environment.call("read", {"path": "/etc/hostname"})


def test_a_container_whose_command_prints_without_end_is_restarted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise the command would go on in the container when podman's program is gone."""
    monkeypatch.setattr(program_run, "MOST_PRINTED_BYTES", 1_000_000)
    program = _podman(
        tmp_path, f'echo "$@" >>{tmp_path}/made; if [ "$1" = exec ]; then yes; fi'
    )

    result = Container(program, "name").script("cat /tmp/a")

    assert result.exit_code != 0
    last_words = (tmp_path / "made").read_text().splitlines()[-1]
    assert last_words == "restart --time=0 name"


def test_a_container_is_removed_although_the_run_is_being_stopped(
    tmp_path: Path,
) -> None:
    from controlplane.benchmarks.containers.container_runtime import ContainerRuntime

    program = _podman(tmp_path, f'echo "$1" >>{tmp_path}/made')
    program.stop_signal.set()
    settings = settings_of("")
    runtime = ContainerRuntime(program, ContainerImages(program, settings), settings)

    runtime.remove("name")
    with pytest.raises(CommandInterrupted):
        runtime.names({})

    assert (tmp_path / "made").read_text() == "rm\n"


# The reward of a task in Harbor's format: the score that its verifier leaves in a file.
#
# A verifier is a script that looks at the container when the agent has finished. It writes either a
# number into `reward.txt`, or several numbers into `reward.json`: `{"reward": 0.5, "style": 1}`. One of
# them is the score, and the others are metrics, which a report shows beside it.


class VerifierFiles(NamedTuple):
    """What a verifier has left; None for a file that does not exist."""

    reward_text: bytes | None = None
    """The content of `reward.txt`."""
    reward_json: bytes | None = None
    """The content of `reward.json`."""


@pytest.mark.parametrize(
    ("files", "score", "metrics"),
    [
        pytest.param(
            VerifierFiles(reward_text=b"1\n"), 1.0, {}, id="a number in reward.txt"
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"reward": 0.5, "style": 1}'),
            0.5,
            {"style": 1.0},
            id="the key reward in reward.json, and a metric",
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"accuracy": 0.25}'),
            0.25,
            {},
            id="the only key in reward.json",
        ),
        pytest.param(
            VerifierFiles(reward_text=b"0", reward_json=b'{"reward": 1}'),
            1.0,
            {},
            id="reward.json before reward.txt",
        ),
        pytest.param(
            VerifierFiles(reward_json=b"0.5"),
            0.5,
            {},
            id="a bare number in reward.json",
        ),
    ],
)
def test_the_reward_is_read_from_the_file_that_the_verifier_leaves(
    files: VerifierFiles, score: float, metrics: dict[str, float]
) -> None:
    grade = reward_of(files.reward_text, files.reward_json, chosen_key="")

    assert grade.score == score
    assert grade.metrics == metrics
    assert not grade.details


def test_the_user_may_choose_the_key_of_the_score() -> None:
    """Then the number in `reward.txt` is left aside, and `reward` is a metric like others."""
    grade = reward_of(b"0.5", b'{"speed": 1, "reward": 0}', chosen_key="speed")

    assert grade.score == 1.0
    assert grade.metrics == {"reward": 0.0}
    assert not grade.details


DIGITS_400 = b"1" + b"0" * 400


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        pytest.param(
            VerifierFiles(reward_text=b"1e308"),
            "the score 1e+308 is no number up to 10^15",
            id="1e308",
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"reward": %s}' % DIGITS_400),
            "the score inf is no number up to 10^15",
            id="400 digits",
        ),
        pytest.param(
            VerifierFiles(reward_json=b'{"reward": "1"}'),
            "reward.json has no number but '1' as 'reward'",
            id="a text in reward.json",
        ),
        pytest.param(
            VerifierFiles(reward_text=b"1", reward_json=b""),
            "reward.json cannot be read",
            id="an empty reward.json, which goes first",
        ),
        pytest.param(VerifierFiles(), "the verifier left no reward", id="nothing"),
        pytest.param(
            VerifierFiles(reward_text=b"good"),
            "reward.txt holds no number: b'good'",
            id="a word in reward.txt",
        ),
    ],
)
def test_what_is_no_score_is_told_and_gives_none(
    files: VerifierFiles, reason: str
) -> None:
    grade = reward_of(files.reward_text, files.reward_json, chosen_key="")

    assert grade.score is None
    assert grade.details[0].startswith(reason)


@pytest.mark.parametrize("digits", [400, 5000])
def test_a_metric_that_no_float_holds_is_named_and_left_out(digits: int) -> None:
    """Python refuses to read an integer of 5,000 digits."""
    huge = b"1" + b"0" * digits

    grade = reward_of(None, b'{"reward": 1, "x": %s, "y": 2}' % huge, chosen_key="")

    assert grade.score == 1.0
    assert grade.metrics == {"y": 2.0}
    assert grade.details == ("the metric 'x' is no number up to 10^15",)


def test_any_finite_number_is_a_score() -> None:
    def score_of(text: bytes) -> float | None:
        return reward_of(text, None, chosen_key="").score

    assert score_of(b"-5") == -5.0
    assert score_of(b"2") == 2.0
    assert score_of(b"1e308") is None  # Too large for means and journals.
    assert score_of(b"nan") is None


# What a run in containers does once, when its first trial begins.
#
# A trial, one try of a task, is played in a container of its own. The first one lists the
# containers that exist already, and tells the user of notices such as "the network is off".


class ContainersListedAtSecondTry:
    """The containers on a machine where podman fails once, as it does while it starts."""

    def __init__(self) -> None:
        self.tries = 0

    def find_earlier(self) -> None:
        self.tries += 1
        if self.tries == 1:
            msg = "podman did not answer"
            raise ContainerError(msg)


def test_a_trial_lists_the_containers_that_the_first_one_could_not_list() -> None:
    """Without the list, a resumed trial would get a new container instead of its own.

    The user is told each notice once.
    """
    told: list[str] = []
    context = BenchmarkContext(notify=told.append)
    containers = ContainersListedAtSecondTry()
    beginning = RunBeginning(iter(["the network is off"]), containers.find_earlier)

    with pytest.raises(ContainerError):
        beginning.begin_once(context)  # the first trial
    beginning.begin_once(context)  # the second one
    beginning.begin_once(context)  # the third one, which has nothing left to do

    assert containers.tries == 2
    assert told == ["the network is off"]
