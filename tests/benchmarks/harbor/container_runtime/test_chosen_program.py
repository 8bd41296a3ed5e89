"""The program that runs containers: podman, or else docker, unless the user names one.

It is looked for in the folders of PATH. If neither is there, the error names both.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import find_runtime
from controlplane.benchmarks.containers.runtime_program import ContainerError

ANY_PROGRAM = shutil.which("true") or "/bin/true"
"""A program that stands for podman or docker, which are only looked for here and not run."""


def path_with_programs(folder: Path, *names: str) -> dict[str, str]:
    """Return variables whose PATH has only programs of these names: `{"PATH": "/tmp/x"}`."""
    for name in names:
        (folder / name).symlink_to(ANY_PROGRAM)
    return {"PATH": str(folder)}


def test_podman_is_preferred_to_docker(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path, "docker", "podman")

    named_by_user = ""
    assert find_runtime(named_by_user, variables).name == "podman"


def test_docker_is_taken_if_there_is_no_podman(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path, "docker")

    assert find_runtime("", variables).name == "docker"


def test_the_program_that_the_user_names_is_taken(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path, "docker", "podman")

    assert find_runtime("docker", variables).name == "docker"


def test_the_program_that_the_user_names_must_exist(tmp_path: Path) -> None:
    """The other program is not taken instead."""
    variables = path_with_programs(tmp_path, "podman")

    with pytest.raises(ContainerError, match="docker"):
        find_runtime("docker", variables)


def test_without_any_program_the_error_names_both(tmp_path: Path) -> None:
    variables = path_with_programs(tmp_path)

    with pytest.raises(ContainerError, match=r"podman.*docker"):
        find_runtime("", variables)
