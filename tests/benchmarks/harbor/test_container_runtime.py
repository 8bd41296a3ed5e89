"""Which container runtime is taken, and why there is none."""

import shutil
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import (
    find_runtime,
)
from controlplane.benchmarks.containers.runtime_limits import (
    unenforced_limits_in,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
)

TRUE_PROGRAM = shutil.which("true") or "/bin/true"


def folder_with(folder: Path, *names: str) -> dict[str, str]:
    """Return variables whose PATH has programs of these names alone."""
    for name in names:
        (folder / name).symlink_to(TRUE_PROGRAM)
    return {"PATH": str(folder)}


def test_podman_is_taken_if_both_are_there(tmp_path: Path) -> None:
    assert find_runtime("", folder_with(tmp_path, "docker", "podman")).name == "podman"


def test_docker_is_taken_if_podman_is_absent(tmp_path: Path) -> None:
    assert find_runtime("", folder_with(tmp_path, "docker")).name == "docker"


def test_the_users_choice_is_taken(tmp_path: Path) -> None:
    assert (
        find_runtime("docker", folder_with(tmp_path, "docker", "podman")).name
        == "docker"
    )


def test_a_chosen_runtime_that_is_absent_is_named(tmp_path: Path) -> None:
    with pytest.raises(ContainerError, match="docker"):
        find_runtime("docker", folder_with(tmp_path, "podman"))


def test_without_any_runtime_both_are_named(tmp_path: Path) -> None:
    with pytest.raises(ContainerError, match=r"podman.*docker"):
        find_runtime("", folder_with(tmp_path))


@pytest.mark.parametrize(
    ("runtime_name", "information", "unenforced"),
    [
        ("podman", "false v1\n", []),
        ("podman", "true v2\n", []),
        ("podman", "true v1\n", ["memory", "cores", "processes"]),
        ("docker", "true true true\n", []),
        ("docker", "true false false\n", ["cores", "processes"]),
        ("docker", "", []),
    ],
)
def test_limits_that_the_runtime_cannot_enforce_are_known(
    runtime_name: str, information: str, unenforced: list[str]
) -> None:
    assert unenforced_limits_in(information, runtime_name) == unenforced
