"""Chooses the program that runs containers, podman or docker, and knows what it cannot limit.

The first of the two in the folders of PATH is taken, unless the user names one. Some limits of a
task, such as its memory, cannot be enforced on every machine; the user is told which.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container_runtime import find_runtime
from controlplane.benchmarks.containers.runtime_limits import (
    limits_docker_lacks,
    limits_podman_lacks,
)
from controlplane.benchmarks.containers.runtime_program import ContainerError

ANY_PROGRAM = shutil.which("true") or "/bin/true"
"""A program that stands for podman or docker, which are only looked for here and not run."""


def path_with_programs(folder: Path, *names: str) -> dict[str, str]:
    """Return variables whose PATH is a folder with programs of only these names."""
    for name in names:
        (folder / name).symlink_to(ANY_PROGRAM)
    return {"PATH": str(folder)}


class TestChoiceOfProgram:
    """The first of podman and docker in PATH is taken, unless the user names one.

    `path_with_programs` makes a folder with programs of these names, and returns variables
    with a PATH to it alone.
    """

    def test_podman_is_preferred_to_docker(self, tmp_path: Path) -> None:
        """Both are in a folder of PATH, and the user has named neither: the name is empty."""
        variables = path_with_programs(tmp_path, "docker", "podman")

        assert find_runtime("", variables).name == "podman"

    def test_docker_is_taken_if_there_is_no_podman(self, tmp_path: Path) -> None:
        """The user has named neither."""
        variables = path_with_programs(tmp_path, "docker")

        assert find_runtime("", variables).name == "docker"

    def test_the_program_that_the_user_names_is_taken(self, tmp_path: Path) -> None:
        """Otherwise podman would be taken."""
        variables = path_with_programs(tmp_path, "docker", "podman")

        assert find_runtime("docker", variables).name == "docker"

    def test_the_program_that_the_user_names_must_exist(self, tmp_path: Path) -> None:
        """The other program is not taken instead."""
        variables = path_with_programs(tmp_path, "podman")

        with pytest.raises(ContainerError, match="docker"):
            find_runtime("docker", variables)

    def test_without_any_program_the_error_names_both(self, tmp_path: Path) -> None:
        variables = path_with_programs(tmp_path)

        with pytest.raises(ContainerError, match=r"podman.*docker"):
            find_runtime("", variables)


class TestLimits:
    """Some limits of a task, such as its memory, cannot be enforced on every machine.

    The user is told which. Podman and docker print in `info` what the limits depend on.
    """

    @pytest.mark.parametrize(
        ("is_rootless_and_cgroups", "unenforced_limits"),
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
        self, is_rootless_and_cgroups: str, unenforced_limits: list[str]
    ) -> None:
        """`podman info` prints whether it runs without root, and the version of control groups.

        By these the kernel limits processes.
        """
        assert limits_podman_lacks(is_rootless_and_cgroups) == unenforced_limits

    @pytest.mark.parametrize(
        ("can_limit", "unenforced_limits"),
        [
            pytest.param("true true true\n", [], id="everything"),
            pytest.param(
                "true false false\n", ["cores", "processes"], id="memory only"
            ),
            pytest.param("", [], id="docker says nothing"),
        ],
    )
    def test_docker_says_itself_what_it_cannot_limit(
        self, can_limit: str, unenforced_limits: list[str]
    ) -> None:
        """`docker info` prints whether it can limit memory, cores and processes, in this order."""
        assert limits_docker_lacks(can_limit) == unenforced_limits
