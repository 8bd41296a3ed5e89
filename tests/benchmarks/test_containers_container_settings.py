"""The variables of a task reach podman or docker by a file, never by arguments or environment.

Podman and docker run on the user's machine: they obey `LD_PRELOAD` or `CONTAINERS_CONF` in their
environment, and everybody can see their arguments. Here a program that notes what it is given
takes their place.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.compose_file import ComposeBuild, ComposeService
from controlplane.benchmarks.containers.container import CommandPlace
from controlplane.benchmarks.containers.container_runtime import (
    ContainerRuntime,
    ContainerSpec,
    find_runtime,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerSettings,
    remove_abandoned_files,
)
from controlplane.benchmarks.containers.set_files import SetFiles
from controlplane.benchmarks.harbor.players import solution_script
from tests.benchmarks.harbor.written_task import write_and_read_task

NOTING_PROGRAM = """#!/bin/sh
cd "$(dirname "$0")"
for word in "$@"; do
    printf '%s\\n' "$word" >>arguments
    case $word in --env-file=*) file=${word#*=}; stat -c %a "$file" >mode; cat "$file" >variables;; esac
done
env >environment
"""
HOSTILE = {
    "LD_PRELOAD": "./environment/x.so",
    "CONTAINERS_CONF": "/x/containers.conf",
    "PATH": "/app/bin",
    "HOME": "/app",
    "CANARY_NAME": "canary value",
}


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files of this test."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with programs `podman` and `docker` that note what they are given."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("podman", "docker"):
        (folder / name).write_text(NOTING_PROGRAM)
        (folder / name).chmod(0o755)
    return folder


def runtime_in(programs: Path, name: str = "podman") -> ContainerRuntime:
    """Return the runtime whose program notes what it is given."""
    return find_runtime(
        ContainerSettings.parse({"runtime": name}, {}), {"PATH": str(programs)}
    )


def check_notes(programs: Path, temporary_files: Path) -> None:
    """Check that the program got the hostile variables by a file alone, which is gone."""
    lines = [f"{name}={value}" for name, value in HOSTILE.items()]
    assert (programs / "variables").read_text().splitlines() == lines
    assert (programs / "mode").read_text() == "600\n"
    assert list(temporary_files.iterdir()) == []

    environment = (programs / "environment").read_text().splitlines()
    assert f"HOME={os.environ['HOME']}" in environment
    for line in lines:
        assert line not in environment
    arguments = (programs / "arguments").read_text()
    for name, value in HOSTILE.items():
        assert name not in arguments
        assert value not in arguments


def test_a_new_container_gets_its_variables_by_a_file(
    programs: Path, temporary_files: Path
) -> None:
    spec = ContainerSpec("image", "name", {}, variables=HOSTILE)

    runtime_in(programs).start(spec)

    check_notes(programs, temporary_files)


def test_a_command_in_a_container_gets_its_variables_by_a_file(
    programs: Path, temporary_files: Path
) -> None:
    container = runtime_in(programs).start(ContainerSpec("image", "name", {}))
    place = CommandPlace("user", "/work", HOSTILE)
    (programs / "arguments").unlink()

    container.run(["true", "--env=x"], place)

    check_notes(programs, temporary_files)
    words = (programs / "arguments").read_text().splitlines()
    assert words[-3:] == ["name", "true", "--env=x"]


def test_the_file_is_gone_if_the_program_fails_or_is_missing(
    programs: Path, temporary_files: Path
) -> None:
    runtime = runtime_in(programs)
    (programs / "podman").write_text("#!/bin/sh\nexit 1\n")
    for _ in range(2):
        with pytest.raises(Exception, match="podman"):
            runtime.start(ContainerSpec("image", "name", {}, variables=HOSTILE))
        (programs / "podman").unlink(missing_ok=True)

    assert list(temporary_files.iterdir()) == []


def test_the_file_of_a_killed_process_is_removed_and_no_other(
    temporary_files: Path,
) -> None:
    """A process waits with a file that it uses. It is killed, and its file is abandoned."""
    program = """
import sys, tempfile
from controlplane.benchmarks.containers.container_settings import variable_flags
tempfile.tempdir = sys.argv[1]
with variable_flags({"KEY": "canary"}):
    print("ready", flush=True)
    sys.stdin.read()
"""
    (temporary_files / "controlplane-variables-link").symlink_to("/etc/passwd")
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(temporary_files)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        remove_abandoned_files()
        used = [
            path
            for path in temporary_files.iterdir()
            if path.is_file() and not path.is_symlink()
        ]
        process.kill()
    assert [path.read_text() for path in used] == ["KEY=canary\n"]

    remove_abandoned_files()

    assert [path.name for path in temporary_files.iterdir()] == [
        "controlplane-variables-link"
    ]


def test_the_proxies_of_the_user_stay_outside(programs: Path) -> None:
    """Podman passes those of its environment, and docker those of its configuration."""
    runtime_in(programs).start(ContainerSpec("image", "name", {}))
    assert "--http-proxy=false\n" in (programs / "arguments").read_text()

    spec = ContainerSpec("image", "name", {}, variables={"HTTP_PROXY": "own"})
    runtime_in(programs, "docker").start(spec)
    words = (programs / "arguments").read_text().splitlines()
    assert "--env=https_proxy=" in words
    assert "--env=HTTP_PROXY=" not in words  # The task has one of its own.

    (programs / "arguments").unlink()
    options = {"build_network": "task", "build_anew": "true", "env": "HTTP_PROXY"}
    settings = ContainerSettings.parse(options, {"HTTP_PROXY": "own"})
    images = find_runtime(settings, {"PATH": str(programs)}).images
    (programs / "Dockerfile").write_text("FROM scratch\n")
    service = ComposeService(build=ComposeBuild(folder=programs))
    images.image_of(service, SetFiles.of(programs), 9.0)
    words = (programs / "arguments").read_text().splitlines()
    assert "--http-proxy=false" in words
    assert "--build-arg=HTTP_PROXY" in words  # Without a value: it is podman's own.
    assert not any(word.startswith("--build-arg=HTTPS_PROXY") for word in words)


def test_a_container_with_a_network_gets_the_proxies_that_the_user_names() -> None:
    environment = {"HTTPS_PROXY": "http://me:secret@proxy", "REGION": "eu"}
    settings = ContainerSettings.parse({"env": "HTTPS_PROXY,REGION"}, environment)
    proxy = {"HTTPS_PROXY": environment["HTTPS_PROXY"]}
    task = {"A": "${REGION}"}

    with_network = settings.container_variables(task, has_network=True)
    assert with_network == {**proxy, "A": "eu"}
    assert settings.container_variables(task, has_network=False) == {"A": "eu"}


def test_the_variables_of_a_solution_are_in_no_command(tmp_path: Path) -> None:
    """A command of a script is an argument of podman or docker."""
    task = write_and_read_task(
        tmp_path / "task", '[solution.env]\nCANARY_NAME = "canary value"'
    )
    task.solution_folder.mkdir()
    (task.solution_folder / "solve.sh").write_text("true\n")

    script = solution_script(task)

    assert "CANARY_NAME" not in script
    assert "canary value" not in script
