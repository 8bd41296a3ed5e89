"""Finds out which limits of containers this machine cannot enforce.

A task may ask for 2 GB of memory. If podman or docker cannot limit memory here, its
container may use all of the machine's, and the user is told so.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.containers.runtime_program import RuntimeProgram

LIMIT_NAMES: Final = ("memory", "cores", "processes")
INFO_FORMATS: Final = {
    "podman": "{{.Host.Security.Rootless}} {{.Host.CgroupsVersion}}",  # `true v1`
    "docker": "{{.MemoryLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}",  # in the order of `LIMIT_NAMES`
}
"""The formats in which the `info` command prints what `unenforced_limits_in` reads."""


def unenforced_limits(program: RuntimeProgram) -> list[str]:
    """Return the limits that podman or docker cannot enforce here, such as `memory`."""
    format_text = INFO_FORMATS.get(program.name, "")
    result = program.run("info", "--format", format_text)
    information = result.stdout.decode("utf-8", "replace")
    return unenforced_limits_in(information, program.name)


def unenforced_limits_in(information: str, runtime_name: str) -> list[str]:
    """Return the limits that are not enforced, by the output of `info`.

    `true false true` from docker means that it cannot limit cores. An output without
    these words says nothing against a limit.
    """
    words = information.split()
    if runtime_name == "podman":
        # Control groups are how the kernel limits processes. Those of version 1 are for
        # root only, so podman without root (rootless) cannot limit anything with them.
        is_rootless_with_v1 = words == ["true", "v1"]
        return list(LIMIT_NAMES) if is_rootless_with_v1 else []
    names = []
    # If `info` failed, there are no words.
    for name, is_enforced in zip(LIMIT_NAMES, words, strict=False):
        if is_enforced == "false":
            names.append(name)
    return names
