"""Which isolation layers work on this machine."""

from __future__ import annotations

from typing import Final, NamedTuple

from controlplane.sandbox.interface.host import ALL_LAYERS, Layer
from controlplane.sandbox.parent.fork_server import ForkServer

NEEDED_OF_KERNEL: Final = ("no_new_privs", "seccomp")
"""The parts that the kernel layer needs to count as working; the others add depth."""


class IsolationReport(NamedTuple):
    """The layers that work on this machine."""

    working: frozenset[Layer]
    parts: dict[str, str]
    """The parts of the kernel layer: "" for a part that works, else the reason why not."""


def working_layers(server: ForkServer) -> IsolationReport:
    """Return which layers work, as a server finds when it starts. Raises `SandboxBroken`."""
    parts = server.kernel_report()
    has_kernel = all(parts.get(part) == "" for part in NEEDED_OF_KERNEL)
    working = ALL_LAYERS if has_kernel else ALL_LAYERS - {Layer.KERNEL}
    return IsolationReport(working, parts)


def missing_layer(server: ForkServer, wanted: frozenset[Layer]) -> str:
    """Return which wanted layer does not work, why, and how to do without; empty if all work.

    The first two work everywhere, so only the kernel layer waits for the server. Raises
    `SandboxBroken`.
    """
    if Layer.KERNEL not in wanted:
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
