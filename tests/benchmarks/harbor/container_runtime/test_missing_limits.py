"""Limits of a container that the machine cannot enforce, so that the user is told of them.

Podman and docker print in `info` what the limits depend on. Podman prints "true v1" if it runs
without root, and with version 1 of the kernel's control groups: it cannot limit memory then.
"""

import pytest

from controlplane.benchmarks.containers.container_runtime import (
    limits_docker_lacks,
    limits_podman_lacks,
)


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
    is_rootless_and_cgroups: str, unenforced_limits: list[str]
) -> None:
    assert limits_podman_lacks(is_rootless_and_cgroups) == unenforced_limits


@pytest.mark.parametrize(
    ("can_limit", "unenforced_limits"),
    [
        pytest.param("true true true\n", [], id="everything"),
        pytest.param("true false false\n", ["cores", "processes"], id="memory only"),
        pytest.param("", [], id="docker says nothing"),
    ],
)
def test_docker_says_itself_what_it_cannot_limit(
    can_limit: str, unenforced_limits: list[str]
) -> None:
    """`docker info` prints whether it can limit memory, cores and processes, in this order."""
    assert limits_docker_lacks(can_limit) == unenforced_limits
