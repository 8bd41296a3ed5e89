"""What the Dockerfile of a stranger's task may fetch: the images that it names, and nothing else.

Podman and docker fetch the addresses of `ADD` themselves, even if the build has no network. Their
parsers differ between versions, so each line is checked as if an instruction began there.
"""

import os
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import ContainerSettings
from controlplane.benchmarks.containers.dockerfile import (
    check_trigger,
    images_of_build,
)
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.containers.task_values import TaskValueError
from controlplane.benchmarks.harbor.harbor_benchmark import playable_tasks, read_tasks
from tests.benchmarks.harbor.task_file.written_task import write_and_read_task


def images_in(
    folder: Path, text: str, *, runtime: str = "podman", has_network: bool = False
) -> list[str]:
    """Write a Dockerfile with this text, and return the images that its build needs."""
    (folder / "Dockerfile").write_text(text)
    files = SetFiles.of(folder)
    return images_of_build(folder, files, runtime, has_network=has_network)


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
def test_an_address_of_add_is_refused_while_builds_have_no_network(
    tmp_path: Path, text: str
) -> None:
    dockerfile = f"FROM base\n{text}\n"

    with pytest.raises(TaskValueError, match="build_network=task"):
        images_in(tmp_path, dockerfile)

    assert images_in(tmp_path, dockerfile, has_network=True)[0] == "base"


@pytest.mark.parametrize(
    "text",
    [
        "RUN --network=host curl http://x",
        "run --mount=type=cache,target=/c --network=HOST true",
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
        "RUN <<EOF\nFROM $X\nEOF",
        "RUN <<EOF\nARG X=oci:/etc\nEOF",
        "FROM --help",
        "FROM ${X%.*}",
        "FROM https://example.com/x",
    ],
)
def test_what_reaches_the_host_is_refused_with_a_network_too(
    tmp_path: Path, text: str
) -> None:
    for has_network in (False, True):
        with pytest.raises(TaskValueError):
            images_in(tmp_path, f"FROM base\n{text}\n", has_network=has_network)


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
def test_a_parser_of_the_task_is_refused(tmp_path: Path, start: str) -> None:
    """Docker would run the image that the first lines name, and let it do what it likes."""
    with pytest.raises(TaskValueError):
        images_in(tmp_path, f"{start}FROM base\n")


HONEST = """# syntax=docker/dockerfile:1
# A comment \\
ARG VERSION=3.13 FLAVOUR="-slim"
FROM --platform=$BUILDPLATFORM golang:1.24 AS build
RUN --mount=type=cache,target=/root/.cache \\
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
RUN --mount=type=bind,from=busybox:1,target=/b true
FROM build AS last
FROM scratch
"""


def test_the_images_of_an_honest_dockerfile_are_named(tmp_path: Path) -> None:
    """Stages of the file, and `scratch`, are no images of a registry."""
    names = ["golang:1.24", "python:3.13-slim", "ghcr.io/owner/tool:2", "busybox:1"]

    assert images_in(tmp_path, HONEST) == names
    of_docker = images_in(tmp_path, HONEST, runtime="docker")
    assert of_docker == [*names, "docker/dockerfile:1"]


def test_a_large_dockerfile_is_refused_at_once(tmp_path: Path) -> None:
    """Each of its lines may continue the one before: reading them grows with the square."""
    with pytest.raises(TaskValueError, match="more than 3,000 lines"):
        images_in(tmp_path, "ADD a \\\n" * 10_000)
    with pytest.raises(TaskValueError, match="larger than 200,000 bytes"):
        images_in(tmp_path, "ADD a \\\n" * 100_000)


def test_what_is_no_regular_file_is_refused_at_once(tmp_path: Path) -> None:
    files = SetFiles.of(tmp_path)
    os.mkfifo(tmp_path / "Dockerfile")
    with pytest.raises(TaskValueError, match="not a file"):
        images_of_build(tmp_path, files, "podman", has_network=False)

    (tmp_path / "Dockerfile").unlink()
    with pytest.raises(TaskValueError, match="there is no Dockerfile"):
        images_of_build(tmp_path, files, "podman", has_network=False)


def test_an_image_may_not_make_other_builds_fetch_something() -> None:
    """Its `ONBUILD` instructions are carried out by each build that begins with it."""
    check_trigger("ADD . /app", has_network=False)
    with pytest.raises(TaskValueError):
        check_trigger("ADD http://x/y /x", has_network=False)


def test_a_task_that_would_fetch_something_is_left_out_by_name(tmp_path: Path) -> None:
    for name in ("fetches", "plain"):
        write_and_read_task(tmp_path / name, "")
    dockerfile = tmp_path / "fetches/environment/Dockerfile"
    dockerfile.write_text("FROM base\nADD http://x/y /x\n")

    off = playable_tasks(read_tasks(tmp_path), ContainerSettings.parse({}, {}))
    with_network = ContainerSettings.parse({"build_network": "task"}, {})
    on = playable_tasks(read_tasks(tmp_path), with_network)

    assert list(off.tasks) == ["plain"]
    assert "ADD http://x/y /x" in off.refusals["fetches"]
    assert list(on.tasks) == ["fetches", "plain"]
