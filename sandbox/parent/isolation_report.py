"""Finds out which isolation layers work on this machine.

The language and the process layer work everywhere. The kernel layer depends on the
kernel, and in a container on what the container allows.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from controlplane.sandbox.interface.isolation_layers import ALL_LAYERS, Layer
from controlplane.sandbox.parent.fork_server import ForkServer

NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts without which the kernel layer does not count as working: programs gain no
rights, and system calls are filtered. The others only add protection."""


class IsolationReport(NamedTuple):
    """The layers that work on this machine."""

    working: frozenset[Layer]
    parts: dict[str, str]
    """The parts of the kernel layer: "" for a part that works, else the reason why not."""


def working_layers(server: ForkServer) -> IsolationReport:
    """Return which layers work. Starts a server process if none runs. Raises `SandboxBroken`."""
    parts = server.kernel_report()
    has_kernel = all(parts.get(part) == "" for part in NEEDED_OF_KERNEL)
    working = ALL_LAYERS if has_kernel else ALL_LAYERS - {Layer.KERNEL}
    return IsolationReport(working, parts)


def missing_layer(server: ForkServer, wanted: frozenset[Layer]) -> str:
    """Return the error message if a wanted layer does not work here; empty if all work.

    It says why, how to repair it, and how to run without the layer. Raises `SandboxBroken`.
    """
    if Layer.KERNEL not in wanted:
        # The other layers work everywhere, so there is no need to start a server.
        return ""
    report = working_layers(server)
    if Layer.KERNEL in report.working:
        return ""

    reasons = []
    for part in (*NEEDED_OF_KERNEL, "kernel"):
        reason = report.parts.get(part)
        if reason:
            reasons.append(f"{part}: {reason}")
    remaining_layers = [layer for layer in Layer if layer in wanted & report.working]
    choice = ",".join(remaining_layers) or "none"
    return (
        f"the kernel layer does not work here ({'; '.join(reasons)}), and untrusted scripts need "
        "it; to repair it, see `python -m controlplane.sandbox doctor`; to run without it, at your "
        f"own risk: --isolation {choice}"
    )
