"""Reports which walls stand on this machine, why one does not, and how to raise it."""

from __future__ import annotations

from typing import Final, NamedTuple

from sandbox.interface.limits import ALL_WALLS, Wall
from sandbox.parent.fork_server import ForkServer

NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts that the kernel wall needs to count as standing; the others add depth."""

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
"""Ways to raise a part of the kernel wall, by a word of its name."""
PROMISES: Final = {
    Wall.LANGUAGE: "scripts are compiled under a policy; attributes and modules are reached through guards",
    Wall.PROCESS: "scripts run in a child with limits, no environment and no descriptor but one socket",
    Wall.KERNEL: "the kernel refuses the child files, network, processes and programs",
}


class WallReport(NamedTuple):
    """The walls that stand on this machine."""

    standing: frozenset[Wall]
    parts: dict[str, str]
    """The parts of the kernel wall: "" for a part that stands, else the reason why it does not."""


def standing_walls(server: ForkServer | None = None) -> WallReport:
    """Start a fork server (or ask `server`) and return which walls stand. Raises `SandboxBroken`."""
    if server is not None:
        parts = server.kernel_report()
    else:
        with ForkServer() as own:
            parts = own.kernel_report()
    has_kernel = all(parts.get(part, "missing") == "" for part in NEEDED_OF_KERNEL)
    return WallReport(ALL_WALLS if has_kernel else ALL_WALLS - {Wall.KERNEL}, parts)


def missing_wall(server: ForkServer, wanted: frozenset[Wall]) -> str:
    """Return which wanted wall does not stand, why, and how to do without it; empty if all stand.

    The first two stand everywhere, so only the kernel wall waits for the server. Raises `SandboxBroken`.
    """
    if Wall.KERNEL not in wanted:
        return ""
    report = standing_walls(server)
    if Wall.KERNEL in report.standing:
        return ""
    decisive = {part: report.parts.get(part, "") for part in (*NEEDED_OF_KERNEL, "kernel")}
    reasons = "; ".join(f"{part}: {reason}" for part, reason in decisive.items() if reason)
    fewer = ",".join(wall for wall in Wall if wall in wanted & report.standing) or "none"
    return (
        f"the kernel wall does not stand here ({reasons}), and untrusted scripts need it; to raise it, see "
        f"`python -m sandbox doctor`; to run without it, at your own risk: --walls {fewer}"
    )


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
    if Wall.KERNEL not in report.standing:
        found.append("untrusted scripts need the kernel wall: without it they run only with `--walls`")
    found += [f"to raise {', '.join(parts)}: {text}" for text, parts in down.items()]
    return found
