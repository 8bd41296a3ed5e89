"""The second solver: start, preflight, loop, assembly."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.exoskeleton.bindings import CheckValue, FindingBucket, Part, Permission, SolverBindings, TextParse
    from agent.exoskeleton.exoskeleton import Exoskeleton
    from agent.exoskeleton.first_step import borrowed_stages

_HOMES = {
    "bindings": ("CheckValue", "FindingBucket", "Part", "Permission", "SolverBindings", "TextParse"),
    "exoskeleton": ("Exoskeleton",),
    "first_step": ("borrowed_stages",),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
