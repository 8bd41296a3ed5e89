"""The second solver: start, preflight, loop, assembly."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.exoskeleton.bindings import CheckValue, FindingBucket, OrderedAnswer, Permission, SolverBindings
    from agent.exoskeleton.exoskeleton import Exoskeleton
    from agent.exoskeleton.parts import Part

_HOMES = {
    "bindings": ("CheckValue", "FindingBucket", "OrderedAnswer", "Permission", "SolverBindings"),
    "exoskeleton": ("Exoskeleton",),
    "parts": ("Part",),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
