"""Which walls stand on this machine, why one does not, and how to raise it, as text."""

from __future__ import annotations

from typing import Final

from sandbox.interface.walls import Wall
from sandbox.parent.wall_report import WallReport

_NAMESPACES: Final = (
    "allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian), "
    "kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), user.max_user_namespaces above 0; "
    "in a container also --security-opt seccomp=unconfined"
)
HOW: Final = {
    "namespace": _NAMESPACES,
    "empty root": _NAMESPACES,
    "landlock": "a kernel from 5.13 on with landlock in its list of security modules (boot option lsm=landlock,...)",
    "seccomp": "a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64",
    "no_new_privs": "a kernel from 3.5 on",
    "kernel": "run it on Linux, for instance in a container; the first two walls stand everywhere",
}
"""How to raise a part of the kernel wall, by a word of its name."""

PROMISES: Final = {
    Wall.LANGUAGE: "scripts are compiled under a policy; attributes and modules are reached through guards",
    Wall.PROCESS: "scripts run in a child with limits, no environment and no descriptor but one socket",
    Wall.KERNEL: "the kernel refuses the child files, network, processes and programs",
}


def advice(part: str) -> str:
    """Return how to raise a part of the kernel wall; empty if unknown."""
    return next((text for word, text in HOW.items() if word in part), "")


def lines(report: WallReport) -> list[str]:
    """Return the report as lines of text."""
    found = [f"{wall.value:<9}{'stands' if wall in report.standing else 'DOWN  '}  {PROMISES[wall]}" for wall in Wall]
    down: dict[str, list[str]] = {}
    for part, reason in report.parts.items():
        found.append(f"  {part:<18}{'stands' if not reason else 'down: ' + reason}")
        if reason and advice(part):
            down.setdefault(advice(part), []).append(part)
    found += [f"to raise {', '.join(parts)}: {text}" for text, parts in down.items()]
    return found
