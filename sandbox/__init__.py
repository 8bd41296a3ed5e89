"""Runs a script that nobody trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.box import Sandbox
    from sandbox.ending import Ending
    from sandbox.host import Host, Refusal, StepResult, Verify, VerifyReply
    from sandbox.limits import Limits
    from sandbox.operations import CallError
    from sandbox.server import ForkServer, SandboxBroken
    from sandbox.surface import Surface
    from sandbox.walls import ALL_WALLS, Wall, WallReport, parse_walls, standing_walls

__all__ = [
    "ALL_WALLS",
    "CallError",
    "Ending",
    "ForkServer",
    "Host",
    "Limits",
    "Refusal",
    "Sandbox",
    "SandboxBroken",
    "StepResult",
    "Surface",
    "Verify",
    "VerifyReply",
    "Wall",
    "WallReport",
    "parse_walls",
    "standing_walls",
]

_HOMES = {
    "box": ("Sandbox",),
    "ending": ("Ending",),
    "host": ("Host", "Refusal", "StepResult", "Verify", "VerifyReply"),
    "limits": ("Limits",),
    "operations": ("CallError",),
    "server": ("ForkServer", "SandboxBroken"),
    "surface": ("Surface",),
    "walls": ("ALL_WALLS", "Wall", "WallReport", "parse_walls", "standing_walls"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the fork server imports this package and needs few of them."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"sandbox.{home}"), name)
    msg = f"module 'sandbox' has no attribute {name!r}"
    raise AttributeError(msg)
