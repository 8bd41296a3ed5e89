"""The values of a task that reach podman or docker: none can be an option, a pattern or a file.

A stranger's task names an image, a user, a folder, limits and variables. Podman and docker run on
the user's machine, so a value that does not fit its grammar leaves the task out, with the reason.
"""

import json
from contextlib import suppress
from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.containers.compose_file import (
    ComposeError,
    read_compose_file,
)
from controlplane.benchmarks.containers.container import CommandPlace, Container
from controlplane.benchmarks.containers.container_runtime import (
    ContainerSettings,
    ContainerSpec,
)
from controlplane.benchmarks.containers.image_commands import ImageCommands
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    RuntimeProgram,
)
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.containers.task_values import (
    TaskValueError,
    check_image,
    check_memory,
    check_user,
    check_variable_names,
    check_variables,
    check_workdir,
)
from controlplane.benchmarks.harbor.harbor_benchmark import (
    TaskFileError,
    playable_tasks,
    read_tasks,
)
from tests.benchmarks.harbor.task_file.written_task import write_and_read_task

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    "image",
    [
        "python",
        "python:3.13-slim",
        "localhost/base:1",
        "ghcr.io/owner/some_image/part:v1.0",
        "127.0.0.1:5000/none:1",
        f"docker.io/library/debian@{DIGEST}",
        f"debian:bookworm@{DIGEST}",
    ],
)
def test_names_of_images_are_taken(image: str) -> None:
    check_image(image)


@pytest.mark.parametrize(
    "image",
    [
        "",
        "--privileged",
        "-v/:/host",
        "python 3",
        "python\n",
        "UPPER",
        "docker-archive:/home/me/x.tar",
        "oci:folder",  # Podman would read the folder, although it could be an image and a tag.
        "oci:5000/folder",
        "dir:/etc",
        "containers-storage:x",
        "https://example.com/x",
        "docker://python",
        "$IMAGE",
        "a" * 500,
    ],
)
def test_what_podman_could_take_for_an_option_or_a_file_is_no_image(image: str) -> None:
    with pytest.raises(TaskValueError):
        check_image(image)


def test_users_folders_and_sizes_have_grammars() -> None:
    """Each is refused as an option, in several lines, and with what a shell or podman reads."""
    for user in ("", "root", "1000", "1000:1000", "agent:users", "_apt", "www-data"):
        check_user(user)
    for user in ("-1", "--privileged", "root\n", "a b", "a:b:c", "*", "$USER", ":0"):
        with pytest.raises(TaskValueError):
            check_user(user)

    for workdir in ("", "/", "/app", "/a b/ü"):
        check_workdir(workdir)
    for workdir in ("app", "--user=0", "/app\nx", "/a\0b", "/" + "a" * 5000, "/\ud800"):
        with pytest.raises(TaskValueError):
            check_workdir(workdir)

    for memory in ("", "512m", "2g", "1.5 GB", "1073741824", "2Gi", "512MB"):
        check_memory(memory)
    for memory in ("-1", "--oom-kill-disable", "much", "infm", "1e9", "9" * 400):
        with pytest.raises(TaskValueError):
            check_memory(memory)


@pytest.mark.parametrize(
    "name",
    ["", "*", "OPENAI*", "A=B", "A B", "A\n", "A\0", "1A", "-e", "Ä", "A" * 500],
)
def test_a_name_of_a_variable_has_letters_digits_and_underscores(name: str) -> None:
    check_variable_names(["A", "_a1", "PATH"])
    with pytest.raises(TaskValueError):
        check_variable_names([name])


@pytest.mark.parametrize("value", ["a\nb", "a\r", "a\0", "\ud800", "é" * 40_000])
def test_a_value_that_no_line_can_hold_is_refused_by_its_name_alone(value: str) -> None:
    check_variables({"A": "", "B": "x = \"y\" 'z' # é $HOME \t"})
    with pytest.raises(TaskValueError, match="the variable KEY") as refusal:
        check_variables({"KEY": f"secret{value}"})
    assert "secret" not in str(refusal.value)


TASKS_BY_REASON = {
    "is no name of a variable": [
        '[environment.env]\n"*" = ""',
        '[environment.env]\n"OPENAI*" = ""',
        '[agent.env]\n"A=B" = "x"',
        '[solution.env]\n"A;touch /x;B" = "x"',
    ],
    "has several lines": [
        '[environment.env]\nKEY = "a\\nHOME*"',
        '[agent.env]\nKEY = "a\\nb"',
    ],
    "is no name of an image": [
        '[environment]\ndocker_image = "--privileged"',
        '[environment]\ndocker_image = "docker-archive:/root/x"',
    ],
    "names files of this machine": ['[environment]\ndocker_image = "oci:x"'],
    "is no user": ["[agent]\nuser = -1", '[verifier]\nuser = "--privileged"'],
    "is no working folder": ['[environment]\nworkdir = "--user=0"'],
    "should be a finite number": [
        "[environment]\nmemory_mb = inf",
        "[environment]\ncpus = inf",
    ],
    "NUL character": [
        '[environment.healthcheck]\ncommand = "a\\u0000b"',
        '[verifier.env]\n"A\\u0000" = "x"',
    ],
}


@pytest.mark.parametrize(
    ("reason", "toml"),
    [(reason, toml) for reason, tomls in TASKS_BY_REASON.items() for toml in tomls],
)
def test_a_task_with_such_a_value_is_left_out_with_the_reason(
    tmp_path: Path, reason: str, toml: str
) -> None:
    with suppress(TaskFileError):
        write_and_read_task(tmp_path / "task", toml)

    assert reason in read_tasks(tmp_path).refusals["task"]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("environment", {"*": ""}, "is no name of a variable"),
        ("environment", ["*"], "is no name of a variable"),
        ("environment", ["A=x", "OPENAI*=x"], "is no name of a variable"),
        ("environment", {"KEY": "a\nb"}, "the variable KEY has several lines"),
        ("image", "--privileged", "is no name of an image"),
        ("image", "oci-archive:/x.tar", "is no name of an image"),
        ("image", "dir:x", "names files of this machine"),
        ("working_dir", "--user=0", "is no working folder"),
        ("mem_limit", "--privileged", "is no size of memory"),
        ("cpus", -1, "is not a number of cores"),
    ],
)
def test_a_compose_file_with_such_a_value_is_refused_with_the_reason(
    tmp_path: Path, key: str, value: object, reason: str
) -> None:
    """The file may be that of a sample of Inspect, or of a task in Harbor's format."""
    service = {"image": "debian", key: value}
    path = tmp_path / "compose.yaml"
    path.write_text(json.dumps({"services": {"main": service}}))  # JSON is YAML, too.

    with pytest.raises(ComposeError, match=reason) as refusal:
        read_compose_file(path, SetFiles.of(tmp_path))
    assert str(refusal.value).startswith("compose.yaml: ")


def test_a_variable_of_the_user_with_several_lines_is_refused_by_its_name(
    tmp_path: Path,
) -> None:
    """A key in PEM has several lines. The task's own text, `${PEM}`, has one."""
    with pytest.raises(BenchmarkError, match="the variable PEM has several lines"):
        ContainerSettings.parse({"env": "PEM"}, {"PEM": "a\nb"})

    write_and_read_task(tmp_path / "long", f'[agent.env]\nA = "{"${X}" * 40}"')
    settings = ContainerSettings.parse({"env": "X"}, {"X": "x" * 5_000})
    playable = playable_tasks(read_tasks(tmp_path), settings)
    assert playable.refusals == {"long": "the variable A has more than 60,000 bytes"}


def test_values_are_checked_where_they_are_used_too(tmp_path: Path) -> None:
    """No program is started: there is none at this path."""
    program = RuntimeProgram(str(tmp_path / "podman"))
    container = Container(program, "c")
    for place in (
        CommandPlace("-x"),
        CommandPlace("", "x"),
        CommandPlace("", "", {"*": ""}),
    ):
        with pytest.raises(TaskValueError):
            container.run(["true"], place)
    with pytest.raises(TaskValueError):
        ImageCommands(program).pull("--help", 1.0)
    with pytest.raises(TaskValueError):
        ContainerSpec("--help", "c", {}).run_words((), ())
    with pytest.raises(ContainerError, match="NUL"):
        container.run(["a\0b"], CommandPlace())
    with pytest.raises(ContainerError, match="surrogate"):
        container.run(["a\ud800b"], CommandPlace())
