"""The layers of isolation that keep a script from the machine, and how users choose among them.

`--isolation language,process` runs scripts without the protection by the kernel.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Layer(StrEnum):
    """One layer of the isolation between a script and the machine."""

    LANGUAGE = "language"
    """The script is compiled under a policy, and reaches attributes and modules through guards."""
    PROCESS = "process"
    """It runs in a child process with limits, no files and no environment."""
    KERNEL = "kernel"
    """The kernel refuses that process everything that it does not need."""


ALL_LAYERS: Final = frozenset(Layer)


def parse_isolation(text: str) -> frozenset[Layer]:
    """Return the isolation layers that a comma-separated list names, or `all`, or `none`.

    Raises `ValueError`.
    """
    match text.strip():
        case "all":
            return ALL_LAYERS
        case "none":
            return frozenset()
    layers = set()
    for part in text.split(","):
        name = part.strip()
        if name not in list(Layer):
            raise ValueError(_unknown_layer_text(name))
        layers.add(Layer(name))
    return frozenset(layers)


def _unknown_layer_text(name: str) -> str:
    """Return the error for a layer that does not exist: `kernal` -> `did you mean 'kernel'?`."""
    import difflib  # Only a mistake needs it, and processes of scripts load this module, too.

    names = [*Layer, "all", "none"]
    near_names = difflib.get_close_matches(name, names, n=1)
    if near_names:
        return (
            f"{name!r} names no isolation layers; did you mean {str(near_names[0])!r}?"
        )
    choice = ", ".join(Layer)
    return (
        f"{name!r} names no isolation layers; "
        f"give a comma-separated choice of {choice}, or all, or none"
    )
