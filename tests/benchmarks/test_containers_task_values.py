"""What a stranger's task passes to podman or docker cannot harm the user's machine.

A Dockerfile fetches the images that it names and nothing else, and is refused otherwise. Names of
images, users, folders, limits and variables fit their grammars, and a task with another value is
left out with the reason.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from controlplane.benchmark import BenchmarkError
from controlplane.benchmarks.containers.compose_file import (
    ComposeBuild,
    ComposeError,
    ComposeService,
    read_compose_file,
)
from controlplane.benchmarks.containers.container import (
    CommandPlace,
    Container,
    RuntimeProgram,
)
from controlplane.benchmarks.containers.container_images import (
    ContainerImages,
    check_trigger,
    images_of_build,
)
from controlplane.benchmarks.containers.container_runtime import ContainerSpec
from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    ContainerSettings,
    TaskValueError,
    check_image,
    check_memory,
    check_user,
    check_variable_names,
    check_variables,
    check_workdir,
)
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.harbor.harbor_benchmark import (
    TaskFileError,
    playable_tasks,
    read_tasks,
)
from tests.benchmarks.harbor.written_task import write_and_read_task

# What the Dockerfile of a stranger's task may fetch: the images that it names, and nothing else.
#
# Podman and docker fetch the addresses of `ADD` themselves, even if the build has no network. Their
# parsers differ between versions, so each line is checked as if an instruction began there.


def images_in(
    text: str, *, runtime: str = "podman", has_network: bool = False
) -> list[str]:
    """Return the images that the build of a Dockerfile with this text needs."""
    return images_of_build(text.encode(), runtime, has_network=has_network)


FETCHING = [
    pytest.param("ADD http://127.0.0.1/x /x", id="plain"),
    pytest.param("  add\thttp://127.0.0.1/x /x", id="small letters and a tab"),
    pytest.param("ADD\vhttp://127.0.0.1/x\v/x", id="vertical tabs"),
    pytest.param("ADD --chown=1:1 https://x/y /x", id="after a flag"),
    pytest.param("ADD a b https://x/y /x/", id="several sources"),
    pytest.param('ADD ["http://x/y", "/x"]', id="JSON"),
    pytest.param(r'ADD ["\u0068ttp\u003a//x/y", "/x"]', id="JSON with escapes"),
    pytest.param(r'ADD ["http\u003a//x/y", "/x"] more', id="text after JSON"),
    pytest.param("ADD http://x/y \u00a0", id="a no-break space as the target"),
    pytest.param("ADD \\\n http://x/y /x", id="the next line"),
    pytest.param("AD\\\nD http://x/y /x", id="a keyword in two lines"),
    pytest.param("ADD \\\n# note\n\nhttp://x/y /x", id="a comment between"),
    pytest.param("ADD ht\\\ntp:/\\\n/x/y /x", id="an address in two lines"),
    pytest.param("ADD \\\n  # note\nhttp://x/y /x", id="an indented comment between"),
    pytest.param(
        "ADD \\\n  #a http://x/y /x\nRUN true", id="no comment for old parsers"
    ),
    pytest.param("ADD http://x/y `", id="a sign that continues lines of Windows"),
    pytest.param("ADD http://x/y \\\\", id="two backslashes as the target"),
    pytest.param("ADD http://x/y \\\r\r", id="a backslash as the target"),
    pytest.param("ADD http://x/y \\\u00a0", id="a backslash and a no-break space"),
    pytest.param("RUN echo \\\\\nADD http://x/y /x", id="after two backslashes"),
    pytest.param("RUN <<EOF\nADD http://x/y /x\nEOF", id="in a heredoc"),
    pytest.param("# note \\\nADD http://x/y /x", id="after a comment"),
    pytest.param("ONBUILD ADD http://x/y /x\nFROM base", id="held back"),
    pytest.param(
        "ONBU\u0130LD ADD http://x/y /x", id="a letter that Go takes for an I"
    ),
    pytest.param("ARG U=http://x\nADD $U /x", id="a variable"),
    pytest.param("ADD git@github.com:owner/project.git /x", id="git"),
    pytest.param("ADD github.com/owner/project /x", id="GitHub"),
    pytest.param("ADD g'ithub'.com/owner/project /x", id="GitHub in quotes"),
    pytest.param("ADD ssh://x/y /x", id="ssh"),
    pytest.param("ADD http://x/y /x\r", id="a line end of Windows"),
]


@pytest.mark.parametrize("text", FETCHING)
def test_an_address_of_add_is_refused_while_builds_have_no_network(text: str) -> None:
    dockerfile = f"FROM base\n{text}\n"

    with pytest.raises(TaskValueError, match="build_network=task"):
        images_in(dockerfile)

    assert images_in(dockerfile, has_network=True)[0] == "base"


@pytest.mark.parametrize(
    "text",
    [
        "RUN --network=host curl http://x",
        "run --mount=type=tmpfs,target=/c --network=HOST true",
        'RUN --net"work"=host true',
        "RUN --net\\work=host true",
        "RUN \u00a0--network=host true",
        "RUN --network=none\u00a0--network=host true",
        "RUN --network=none \u00a0--network=host true",
        'RUN --mount="type=tmpfs,target=/a b" --network=host true',
        "RUN \\\n--network=host true",
        "RUN --security=insecure true",
        "ONBUILD RUN --network=host true",
        "FROM oci:/home/me/image",
        "FROM --platform=linux/amd64 dir:/etc AS x",
        "FROM docker-archive:/x.tar",
        'FROM "containers-storage:x"',
        "COPY --from=oci-archive:/x.tar / /x",
        "COPY --from=$X / /x",
        "RUN --mount=type=bind,from=dir:/etc,target=/x true",
        "RUN --mount=type=bind,source=link,target=/x true",
        "RUN --mount=type=bind,from=0,source=/link,target=/x true",
        "RUN --mount=type=cache,id=../../home/me,target=/x true",
        "RUN --mount=type=cache,target=/var/cache/x true",
        "RUN --mount=type=tmpfs,target=/x,type=bind true",
        "RUN --mo'unt'=type=cache,target=/x true",
        "ONBUILD RUN --mount=type=cache,target=/x true",
        'COPY --fr"om"=oci:/x / /x',
        "RUN <<EOF\nFROM $X\nEOF",
        "RUN <<EOF\nARG X=oci:/etc\nEOF",
        "FROM --help",
        "FROM ${X%.*}",
        "FROM https://example.com/x",
    ],
)
def test_what_reaches_the_host_is_refused_with_a_network_too(text: str) -> None:
    for has_network in (False, True):
        with pytest.raises(TaskValueError):
            images_in(f"FROM base\n{text}\n", has_network=has_network)


def test_a_byte_that_is_no_character_is_refused(tmp_path: Path) -> None:
    """Podman takes the byte A0 for a space, after which a flag may follow."""
    text = b"FROM base\nRUN \xa0--mount=type=cache,target=/x true\n"

    with pytest.raises(TaskValueError, match="UTF-8"):
        images_of_build(text, "podman", has_network=False)


def test_an_argument_named_again_keeps_its_value() -> None:
    dockerfile = "ARG IMAGE=first\nARG IMAGE\nFROM ${IMAGE:-second}\n"

    assert images_in(dockerfile) == ["first"]


@pytest.mark.parametrize(
    "start",
    [
        "# escape=`\n",
        "# syntax=evil/parser:1\n",
        "#syntax = evil\n",
        "// syntax=evil\n",
        "{\n",
    ],
)
def test_a_parser_of_the_task_is_refused(start: str) -> None:
    """Docker would run the image that the first lines name, and let it do what it likes."""
    with pytest.raises(TaskValueError):
        images_in(f"{start}FROM base\n")


HONEST = """# syntax=docker/dockerfile:1
# A comment \\
ARG VERSION=3.13 FLAVOUR="-slim"
FROM --platform=$BUILDPLATFORM golang:1.24 AS build
RUN --mount=type=tmpfs,target=/var/cache/x \\
    # a comment
    go build ./... && curl -fsSL https://example.com/x | sh

ADD source.tar.gz ${APP_DIR}/
ADD --chown=1000:1000 a.txt b.txt /data/
ADD ["with space.txt", "/data/"]
COPY <<EOF /etc/config
from os import path
FROM nothing
EOF
RUN cat <<'END' > /x && echo $((1 << 3))
add = 1
END

FROM python:${VERSION}${FLAVOUR}
COPY --from=build /bin/x /bin/x
COPY --from=0 /bin/x /bin/y
COPY --from=ghcr.io/owner/tool:2 /tool /bin/tool
FROM build AS last
FROM scratch
"""


def test_the_images_of_an_honest_dockerfile_are_named() -> None:
    """Stages of the file, and `scratch`, are no images of a registry."""
    names = ["golang:1.24", "python:3.13-slim", "ghcr.io/owner/tool:2"]

    assert images_in(HONEST) == names
    of_docker = images_in(HONEST, runtime="docker")
    assert of_docker == [*names, "docker/dockerfile:1"]


def test_a_large_dockerfile_is_refused_at_once() -> None:
    """Each of its lines may continue the one before: reading them grows with the square."""
    with pytest.raises(TaskValueError, match="more than 3,000 lines"):
        images_in("ADD a \\\n" * 10_000)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    settings = ContainerSettings.parse({}, {})
    images = ContainerImages(RuntimeProgram("podman"), settings)
    service = ComposeService(build=ComposeBuild(folder=tmp_path))
    files = SetFiles.of(tmp_path)
    os.mkfifo(tmp_path / "Dockerfile")
    with pytest.raises(TaskValueError, match="not a file"):
        images.needed_by(service, files)

    (tmp_path / "Dockerfile").unlink()
    with pytest.raises(TaskValueError, match="there is no Dockerfile"):
        images.needed_by(service, files)

    (tmp_path / "Dockerfile").write_text("#" * 200_001)
    with pytest.raises(TaskValueError, match="larger than 200,000 bytes"):
        images.needed_by(service, files)


def test_an_image_may_not_make_other_builds_fetch_something() -> None:
    """Its `ONBUILD` instructions are carried out by each build that begins with it."""
    check_trigger("ADD . /app", has_network=False)
    with pytest.raises(TaskValueError):
        check_trigger("ADD http://x/y /x", has_network=False)


def images_with(
    environment: Mapping[str, str] | None = None, **options: str
) -> ContainerImages:
    """Return the images of a user with these options, who lets them be pulled: none is asked for."""
    settings = ContainerSettings.parse({"pull": "true", **options}, environment or {})
    return ContainerImages(RuntimeProgram("podman"), settings)


def test_a_task_that_would_fetch_something_is_left_out_by_name(tmp_path: Path) -> None:
    for name in ("fetches", "plain"):
        write_and_read_task(tmp_path / name, "")
    dockerfile = tmp_path / "fetches/environment/Dockerfile"
    dockerfile.write_text("FROM base\nADD http://x/y /x\n")

    off = playable_tasks(read_tasks(tmp_path), images_with(build_network="off"))
    on = playable_tasks(read_tasks(tmp_path), images_with(build_network="task"))

    assert list(off.tasks) == ["plain"]
    assert "ADD http://x/y /x" in off.refusals["fetches"]
    assert list(on.tasks) == ["fetches", "plain"]


HEREDOC = "FROM base\nRUN <<EOF\nset -e\nEOF\n"


@pytest.mark.parametrize(
    ("program_name", "version", "dockerfile", "plays"),
    [
        ("podman", "4.3.1", HEREDOC, False),
        ("podman", "4.3.1", "FROM base\nRUN echo $((1<<N))\n", True),
        ("podman", "4.8.0-rc1", HEREDOC, True),
        ("podman", "5.0", HEREDOC, True),
        ("podman", "", HEREDOC, True),
        ("docker", "20.10", HEREDOC, True),
    ],
)
def test_a_heredoc_that_an_old_podman_cannot_build_is_refused_by_name(
    tmp_path: Path, program_name: str, version: str, dockerfile: str, plays: bool
) -> None:
    write_and_read_task(tmp_path / "tasks/task", "")
    (tmp_path / "tasks/task/environment/Dockerfile").write_text(dockerfile)
    program = tmp_path / program_name
    program.write_text(f"#!/bin/sh\necho {version}\n")
    program.chmod(0o755)
    settings = ContainerSettings.parse({"pull": "true"}, {})
    images = ContainerImages(RuntimeProgram(str(program)), settings)

    playable = playable_tasks(read_tasks(tmp_path / "tasks"), images)

    assert bool(playable.tasks) is plays
    if not plays:
        assert "heredoc (<<EOF), which podman 4.3.1" in playable.refusals["task"]


# The values of a task that reach podman or docker: none can be an option, a pattern or a file.
#
# A stranger's task names an image, a user, a folder, limits and variables. Podman and docker run
# on the user's machine, so a value that does not fit its grammar leaves the task out, with the
# reason.


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
        '[environment]\ndocker_image = "docker-archive:/srv/x"',
    ],
    "names files of this machine": ['[environment]\ndocker_image = "oci:x"'],
    "is no user": ["[agent]\nuser = -1", '[verifier]\nuser = "--privileged"'],
    "is no absolute path": ['[environment]\nworkdir = "--user=0"'],
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
        ("working_dir", "--user=0", "is no absolute path"),
        ("mem_limit", "--privileged", "is no size of memory"),
        ("cpus", -1, "is no number of cores"),
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
    images = images_with({"X": "x" * 5_000}, env="X")
    playable = playable_tasks(read_tasks(tmp_path), images)
    assert playable.refusals == {"long": "the variable A has more than 60,000 bytes"}


def test_the_health_check_of_an_image_is_not_run_by_this_machine() -> None:
    words = ContainerSpec("debian", "c", {}).run_words((), ())

    assert words.index("--no-healthcheck") < words.index("debian")


def test_removing_a_container_waits_for_no_process_that_ignores_the_signal() -> None:
    """A service that only sleeps does: podman would wait ten seconds for it."""
    words = ContainerSpec("debian", "c", {}).run_words((), ())

    assert words.index("--stop-timeout=0") < words.index("debian")


def test_values_are_checked_where_they_are_used_too(tmp_path: Path) -> None:
    """No program is started: there is none at this path."""
    program = RuntimeProgram(str(tmp_path / "podman"))
    container = Container(program, "c")
    settings = ContainerSettings.parse({"pull": "true"}, {})
    for place in (
        CommandPlace("-x"),
        CommandPlace("", "x"),
        CommandPlace("", "", {"*": ""}),
    ):
        with pytest.raises(TaskValueError):
            container.run(["true"], place)
    with pytest.raises(TaskValueError):
        ContainerImages(program, settings).ensure_pulled("--help", 1.0)
    with pytest.raises(TaskValueError):
        ContainerSpec("--help", "c", {}).run_words((), ())
    with pytest.raises(ContainerError, match="NUL"):
        container.run(["a\0b"], CommandPlace())
    with pytest.raises(ContainerError, match="surrogate"):
        container.run(["a\ud800b"], CommandPlace())
