"""Runs a script that nobody trusts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.interface.host import Host, Refusal, StepResult, Verify, VerifyReply
    from sandbox.interface.limits import Limits
    from sandbox.interface.operations import CallError
    from sandbox.interface.step_ending import Ending
    from sandbox.interface.surface import Surface
    from sandbox.interface.walls import ALL_WALLS, Wall, parse_walls
    from sandbox.parent.fork_server import ForkServer, SandboxBroken
    from sandbox.parent.script_sandbox import Sandbox
    from sandbox.parent.wall_report import WallReport, standing_walls

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
    "parent.script_sandbox": ("Sandbox",),
    "interface.step_ending": ("Ending",),
    "interface.host": ("Host", "Refusal", "StepResult", "Verify", "VerifyReply"),
    "interface.limits": ("Limits",),
    "interface.operations": ("CallError",),
    "parent.fork_server": ("ForkServer", "SandboxBroken"),
    "interface.surface": ("Surface",),
    "interface.walls": ("ALL_WALLS", "Wall", "parse_walls"),
    "parent.wall_report": ("WallReport", "standing_walls"),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use: the fork server imports this package and needs few of them."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"sandbox.{home}"), name)
    msg = f"module 'sandbox' has no attribute {name!r}"
    raise AttributeError(msg)
