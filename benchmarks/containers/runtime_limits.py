"""Finds out which limits of containers this machine cannot enforce.

A task may ask for 2 GB of memory. If podman or docker cannot limit memory here, its
container may use all of the machine's, and the user is told so.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.containers.runtime_program import RuntimeProgram

LIMIT_NAMES: Final = ("memory", "cores", "processes")
PODMAN_INFO: Final = "{{.Host.Security.Rootless}} {{.Host.CgroupsVersion}}"
DOCKER_INFO: Final = "{{.MemoryLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}"
"""Whether docker can enforce each limit, in the order of `LIMIT_NAMES`."""


def unenforced_limits(program: RuntimeProgram) -> list[str]:
    """Return the limits that podman or docker cannot enforce here, such as `memory`."""
    if program.name == "podman":
        return limits_podman_lacks(_info(program, PODMAN_INFO))
    return limits_docker_lacks(_info(program, DOCKER_INFO))


def _info(program: RuntimeProgram, format_text: str) -> str:
    """Return what podman or docker says about this machine; empty if it fails."""
    result = program.run("info", "--format", format_text)
    return result.stdout.decode("utf-8", "replace")


def limits_podman_lacks(info: str) -> list[str]:
    """Return the limits that podman cannot enforce: all for `true v1`, else none.

    The kernel limits processes by control groups. Those of version 1 are for root only, so
    podman without root (rootless) cannot limit anything with them.
    """
    is_rootless_with_v1 = info.split() == ["true", "v1"]
    return list(LIMIT_NAMES) if is_rootless_with_v1 else []


def limits_docker_lacks(info: str) -> list[str]:
    """Return the limits that docker cannot enforce: `["cores"]` for `true false true`.

    If docker said nothing, all are taken to be enforced.
    """
    names = []
    for name, is_enforced in zip(LIMIT_NAMES, info.split(), strict=False):
        if is_enforced == "false":
            names.append(name)
    return names
