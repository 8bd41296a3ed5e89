"""What `doctor` says: which isolation layers work, why one does not, and how to repair it."""

from __future__ import annotations

from typing import Any, Final

from controlplane.sandbox.interface.isolation_layers import Layer
from controlplane.sandbox.parent.fork_server import IsolationReport

_EFFECTS_OF_LAYERS: Final = {
    Layer.LANGUAGE: "scripts are compiled under a policy; attributes and modules are reached through guards",
    Layer.PROCESS: "scripts run in a child with limits, no environment and no descriptor but one socket",
    Layer.KERNEL: "the kernel refuses the child files, network, processes and programs",
}
"""What each layer does, in the words of `doctor`."""


def advice(part: str) -> str:
    """Return how to repair a part of the kernel layer; empty if unknown."""
    if "namespace" in part or part == "empty root":
        return (
            "allow unprivileged user namespaces: sysctl kernel.unprivileged_userns_clone=1 "
            "(Debian), kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), "
            "user.max_user_namespaces above 0; in a container also --security-opt seccomp=unconfined"
        )
    if part == "landlock":
        return (
            "a kernel from 5.13 on with landlock in its list of security modules "
            "(boot option lsm=landlock,...)"
        )
    if part == "seccomp":
        return "a kernel with CONFIG_SECCOMP_FILTER, on x86_64 or aarch64"
    if part == "no_new_privs":
        return "a kernel from 3.5 on"
    if part == "kernel":
        return "run it on Linux, for instance in a container; the first two layers work everywhere"
    return ""


def report_as_data(report: IsolationReport) -> dict[str, Any]:
    """Return the report as `--json` prints it."""
    parts = {}
    for part, reason in report.parts.items():
        works = reason == ""  # Otherwise it says why the part does not work.
        parts[part] = {
            "works": works,
            "reason": reason,
            "how": advice(part) if reason else "",
        }
    layers = {layer.value: layer in report.working for layer in Layer}
    return {"isolation": layers, "kernel": parts}


def report_lines(report: IsolationReport) -> list[str]:
    """Return the report as lines of text: the layers, the parts of the kernel layer, and advice."""
    rows = []
    for layer in Layer:
        state = "works" if layer in report.working else "DOWN  "
        rows.append(f"{layer.value:<9}{state}  {_EFFECTS_OF_LAYERS[layer]}")

    # Several parts may be repaired in the same way, which is then said once for all of them.
    parts_by_advice: dict[str, list[str]] = {}
    for part, reason in report.parts.items():
        works = reason == ""
        state = "works" if works else f"down: {reason}"
        rows.append(f"  {part:<18}{state}")
        if not works and advice(part):
            parts_by_advice.setdefault(advice(part), []).append(part)

    if Layer.KERNEL not in report.working:
        rows.append(
            "untrusted scripts need the kernel layer: without it they run only with `--isolation`"
        )
    for text, parts in parts_by_advice.items():
        rows.append(f"to raise {', '.join(parts)}: {text}")
    return rows
